// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import { invalid } from '../../invalid.ts';
import type { Subject, Trial } from '../../trial.ts';

const label = 'pod-security.kubernetes.io';

const pod = (container: object = {}, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec },
});

/** A container that the strictest level allows. */
const tame = {
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  },
};

/** The answer of a namespace with some level to a pod. */
async function refused(t: Trial, level: string, body: object): Promise<string> {
  const ns = await t.podNamespace({ [`${label}/enforce`]: level });
  const { code, reason, message } = refusalOf(await t.post(`/api/v1/namespaces/${ns}/pods?dryRun=All`, body));
  expect({ code, reason }).toEqual({ code: 403, reason: 'Forbidden' });
  return String(message);
}

const missing =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
  'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
  'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
  'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

/** Namespaces that allow only pods of a certain level. */
export const podSecurity: Subject = {
  name: 'Pod Security',
  cases: {
    'a namespace without labels lets everything in': async (t) => {
      const ns = await t.podNamespace();
      const body = pod({ securityContext: { privileged: true } }, { hostNetwork: true });
      successOf(await t.post(`/api/v1/namespaces/${ns}/pods?dryRun=All`, body));
    },
    'the restricted level tells all that is missing': async (t) => {
      expect(await refused(t, 'restricted', pod())).toBe(
        `pods "p" is forbidden: violates PodSecurity "restricted:latest": ${missing}`,
      );
    },
    'the restricted level lets in what keeps to it': async (t) => {
      const ns = await t.podNamespace({ [`${label}/enforce`]: 'restricted' });
      successOf(await t.post(`/api/v1/namespaces/${ns}/pods?dryRun=All`, pod(tame)));
    },
    'what the whole Pod sets need not be set by each container': async (t) => {
      const ns = await t.podNamespace({ [`${label}/enforce`]: 'restricted' });
      const { allowPrivilegeEscalation, capabilities, ...whole } = tame.securityContext;
      const body = pod({ securityContext: { allowPrivilegeEscalation, capabilities } }, { securityContext: whole });
      successOf(await t.post(`/api/v1/namespaces/${ns}/pods?dryRun=All`, body));
    },
    'the restricted level forbids root, by user and by refusal': async (t) => {
      const securityContext = { ...tame.securityContext, runAsNonRoot: false, runAsUser: 0 };
      expect(await refused(t, 'restricted', pod({ securityContext }))).toBe(
        'pods "p" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true (container "c" must not set ' +
          'securityContext.runAsNonRoot=false), runAsUser=0 (container "c" must not set runAsUser=0)',
      );
    },
    'the restricted level allows few kinds of volumes and one capability': async (t) => {
      const securityContext = {
        ...tame.securityContext,
        capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'CHOWN'] },
      };
      const volumes = [
        { name: 'h', hostPath: { path: '/x' } },
        { name: 'e', emptyDir: {} },
      ];
      expect(await refused(t, 'restricted', pod({ securityContext }, { volumes }))).toBe(
        'pods "p" is forbidden: violates PodSecurity "restricted:latest": unrestricted capabilities (container "c" must not ' +
          'include "CHOWN" in securityContext.capabilities.add), restricted volume types (volume "h" uses restricted volume ' +
          'type "hostPath")',
      );
    },
    'the baseline level forbids what leads to the host': async (t) => {
      const container = {
        securityContext: { privileged: true, capabilities: { add: ['SYS_ADMIN', 'CHOWN'] } },
        ports: [{ containerPort: 80, hostPort: 80 }],
      };
      const volumes = [{ name: 'h', hostPath: { path: '/x' } }];
      const body = pod(container, { volumes, hostPID: true, hostIPC: true });
      expect(await refused(t, 'baseline', body)).toBe(
        'pods "p" is forbidden: violates PodSecurity "baseline:latest": non-default capabilities (container "c" must not ' +
          'include "SYS_ADMIN" in securityContext.capabilities.add), host namespaces (hostPID=true, hostIPC=true), hostPath ' +
          'volumes (volume "h"), hostPort (container "c" uses hostPort 80), privileged (container "c" must not set ' +
          'securityContext.privileged=true)',
      );
    },
    'the baseline level forbids to do without seccomp, and some settings of the kernel': async (t) => {
      const securityContext = {
        seccompProfile: { type: 'Unconfined' },
        sysctls: [{ name: 'kernel.msgmax', value: '1' }],
      };
      expect(await refused(t, 'baseline', pod({}, { securityContext }))).toBe(
        'pods "p" is forbidden: violates PodSecurity "baseline:latest": seccompProfile (pod must not set ' +
          'securityContext.seccompProfile.type to "Unconfined"), forbidden sysctls (kernel.msgmax)',
      );
    },
    'the baseline level lets an ordinary Pod in': async (t) => {
      const ns = await t.podNamespace({ [`${label}/enforce`]: 'baseline' });
      successOf(await t.post(`/api/v1/namespaces/${ns}/pods?dryRun=All`, pod()));
    },
    'all containers are looked at, those that come first, too': async (t) => {
      const initContainers = [{ name: 'i', image: 'i' }];
      const message = await refused(t, 'restricted', pod(tame, { initContainers }));
      expect(message).toContain('container "i" must set securityContext.allowPrivilegeEscalation=false');
      const containers = [
        { name: 'a', image: 'i', securityContext: { privileged: true } },
        { name: 'b', image: 'i', securityContext: { privileged: true } },
      ];
      expect(await refused(t, 'baseline', pod({}, { containers }))).toBe(
        'pods "p" is forbidden: violates PodSecurity "baseline:latest": privileged (containers "a", "b" must not set ' +
          'securityContext.privileged=true)',
      );
    },
    'the version of the rules is told': async (t) => {
      const ns = await t.podNamespace({ [`${label}/enforce`]: 'baseline', [`${label}/enforce-version`]: 'v1.36' });
      const body = pod({}, { hostNetwork: true });
      expect(refusalOf(await t.post(`/api/v1/namespaces/${ns}/pods`, body)).message).toBe(
        'pods "p" is forbidden: violates PodSecurity "baseline:v1.36": host namespaces (hostNetwork=true)',
      );
    },
    'a level can be for warnings only': async (t) => {
      const ns = await t.podNamespace({ [`${label}/warn`]: 'restricted' });
      const { code, headers } = await t.post(`/api/v1/namespaces/${ns}/pods?dryRun=All`, pod());
      expect(code).toBe(201);
      expect(headers['warning']).toBe(
        `299 - ${JSON.stringify(`would violate PodSecurity "restricted:latest": ${missing}`)}`,
      );
    },
    'those who make Pods are warned of what would become of them': async (t) => {
      const ns = await t.podNamespace({ [`${label}/enforce`]: 'baseline' });
      const template = { metadata: { labels: { a: 'b' } }, spec: { ...pod().spec, hostPID: true } };
      const { code, headers } = await t.post(`/apis/apps/v1/namespaces/${ns}/deployments?dryRun=All`, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { selector: { matchLabels: { a: 'b' } }, template },
      });
      expect(code).toBe(201);
      expect(headers['warning']).toBe(
        '299 - "would violate PodSecurity \\"baseline:latest\\": host namespaces (hostPID=true)"',
      );
    },
    'a level that does not exist is refused': async (t) => {
      const name = t.unique('ns');
      const body = {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, labels: { [`${label}/enforce`]: 'strict', [`${label}/warn-version`]: 'v2' } },
      };
      expect(refusalOf(await t.post('/api/v1/namespaces', body))).toEqual(
        invalid(
          'Namespace',
          name,
          `metadata.labels[${label}/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted`,
          `metadata.labels[${label}/warn-version]: Invalid value: "v2": must be "latest" or "v1.x"`,
        ),
      );
    },
    'a namespace that becomes stricter tells which Pods it would not let in': async (t) => {
      const ns = await t.podNamespace();
      await t.make(`/api/v1/namespaces/${ns}/pods`, pod({}, { hostNetwork: true }));
      const stricter = { metadata: { labels: { [`${label}/enforce`]: 'baseline' } } };
      // The server finds Pods in a separate cache, which may contain this one a moment later.
      await t.eventually(async () => {
        const { headers } = await t.patch(`/api/v1/namespaces/${ns}?dryRun=All`, 'merge', stricter);
        expect(headers['warning']).toBeDefined();
      });
      const { code, headers } = await t.patch(`/api/v1/namespaces/${ns}`, 'merge', stricter);
      expect(code).toBe(200);
      expect(headers['warning']).toBe(
        `299 - "existing pods in namespace \\"${ns}\\" violate the new PodSecurity enforce level \\"baseline:latest\\"", ` +
          '299 - "p: host namespaces"',
      );
    },
    'a Pod that is in can be changed but for its images': async (t) => {
      const ns = await t.podNamespace();
      const path = `/api/v1/namespaces/${ns}/pods`;
      await t.make(path, pod({}, { hostNetwork: true }));
      await t.patch(`/api/v1/namespaces/${ns}`, 'merge', {
        metadata: { labels: { [`${label}/enforce`]: 'baseline' } },
      });
      successOf(await t.patch(`${path}/p`, 'merge', { metadata: { labels: { a: 'b' } } }));
      const image = { spec: { containers: [{ name: 'c', image: 'j' }] } };
      // The server reads the labels of the namespace from a separate cache.
      await t.eventually(async () => {
        const answer = await t.patch(`${path}/p?dryRun=All`, 'strategic', image);
        expect(refusalOf(answer).message).toContain('violates PodSecurity');
      });
    },
  },
};
