// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf, successOf } from '../../answer.ts';
import { type Cause, invalid } from '../../invalid.ts';
import { labelRule, portRule } from '../../messages.ts';
import type { Subject, Trial } from '../../trial.ts';

const podsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;
const container = (more: object = {}) => ({ name: 'c', image: 'i', ...more });
const pod = (spec: object) => ({ metadata: { name: 'p' }, spec: { automountServiceAccountToken: false, ...spec } });

/** Tries to create a Pod with one container with these fields. */
async function refusedContainer(t: Trial, fields: object) {
  return refusedSpec(t, { containers: [container(fields)] });
}

async function refusedSpec(t: Trial, spec: object) {
  return refusalOf(await t.post(podsIn(await t.podNamespace()), pod(spec)));
}

const badPod = (...causes: readonly Cause[]) => invalid('Pod', 'p', ...causes);

const eviction = (key: string) => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
});

/** Defaults and validation of new Pods. */
export const pods: Subject = {
  name: 'Pods',
  cases: {
    'a Pod is completed': async (t) => {
      const ns = await t.podNamespace();
      const made = await t.make(podsIn(ns), pod({ containers: [container()] }));
      expect(made.spec).toEqual({
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'c',
            image: 'i',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        serviceAccountName: 'default',
        serviceAccount: 'default',
        securityContext: {},
        schedulerName: 'default-scheduler',
        tolerations: [eviction('not-ready'), eviction('unreachable')],
        priority: 0,
        enableServiceLinks: true,
        preemptionPolicy: 'PreemptLowerPriority',
      });
      expect(made.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
      expect(made.metadata.generation).toBe(1);
    },
    'a Pod gets the token of its service account as a volume': async (t) => {
      const ns = await t.podNamespace();
      const made = await t.make(podsIn(ns), { metadata: { name: 'p' }, spec: { containers: [container()] } });
      const [volume] = made.spec['volumes'] as [{ name: string }];
      expect(volume.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
      expect(volume).toMatchObject({
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
              },
            },
          ],
        },
      });
      expect(made.spec['containers']).toMatchObject([
        {
          volumeMounts: [
            { name: volume.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
          ],
        },
      ]);
    },
    'an image with a tag is pulled only if it is missing': async (t) => {
      const ns = await t.podNamespace();
      const containers = ['i', 'i:latest', 'i:1', 'r.example.com:5000/i', `i@sha256:${'0'.repeat(64)}`].map(
        (image, i) => ({
          name: `c${i}`,
          image,
        }),
      );
      const made = await t.make(podsIn(ns), pod({ containers }));
      const policies = (made.spec['containers'] as { imagePullPolicy: string }[]).map((one) => one.imagePullPolicy);
      expect(policies).toEqual(['Always', 'Always', 'IfNotPresent', 'Always', 'IfNotPresent']);
    },
    'probes, ports and volumes are completed': async (t) => {
      const ns = await t.podNamespace();
      const fields = {
        ports: [{ containerPort: 80 }],
        readinessProbe: { httpGet: { port: 80 } },
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
        env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      };
      const volumes = [{ name: 'v', secret: { secretName: 's' } }, { name: 'w' }];
      const made = await t.make(podsIn(ns), pod({ containers: [container(fields)], volumes }));
      expect(made.spec['containers']).toMatchObject([
        {
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          readinessProbe: {
            httpGet: { path: '/', port: 80, scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
          env: [{ name: 'IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } }],
        },
      ]);
      expect(made.spec['volumes']).toEqual([
        { name: 'v', secret: { secretName: 's', defaultMode: 420 } },
        { name: 'w', emptyDir: {} },
      ]);
    },
    'a limit is also the request, and makes the quality of service': async (t) => {
      const ns = await t.podNamespace();
      const qos = async (name: string, resources: object) => {
        const body = { ...pod({ containers: [container({ resources })] }), metadata: { name } };
        const made = await t.make(podsIn(ns), body);
        return [made.status['qosClass'], (made.spec['containers'] as [{ resources: object }])[0].resources];
      };
      const both = { cpu: '1', memory: '1Gi' };
      expect(await qos('a', { limits: both })).toEqual(['Guaranteed', { limits: both, requests: both }]);
      expect(await qos('b', { requests: { cpu: '100m' } })).toEqual(['Burstable', { requests: { cpu: '100m' } }]);
      expect(await qos('c', { requests: { memory: '1024Mi', cpu: '1000m' } })).toEqual([
        'Burstable',
        { requests: { memory: '1Gi', cpu: '1' } },
      ]);
    },
    'a Pod needs containers, with names and images': async (t) => {
      expect(await refusedSpec(t, {})).toEqual(badPod('spec.containers: Required value'));
      expect(await refusedSpec(t, { containers: [{ name: 'C_' }] })).toEqual(
        badPod(
          `spec.containers[0].name: Invalid value: "C_": ${labelRule}`,
          'spec.containers[0].image: Required value',
        ),
      );
      expect(await refusedSpec(t, { containers: [container(), container()] })).toEqual(
        badPod('spec.containers[1].name: Duplicate value: "c"'),
      );
    },
    'policies are checked': async (t) => {
      const containers = [container({ imagePullPolicy: 'X' })];
      expect(await refusedSpec(t, { containers, restartPolicy: 'Maybe', dnsPolicy: 'Nope' })).toEqual(
        badPod(
          'spec.containers[0].imagePullPolicy: Unsupported value: "X": supported values: "Always", "IfNotPresent", "Never"',
          'spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"',
          'spec.dnsPolicy: Unsupported value: "Nope": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
        ),
      );
    },
    'ports and names of variables are checked': async (t) => {
      const fields = { ports: [{ containerPort: 70_000 }], env: [{ name: 'A=B' }, { name: '' }] };
      expect(await refusedContainer(t, fields)).toEqual(
        badPod(
          `spec.containers[0].ports[0].containerPort: Invalid value: 70000: ${portRule}`,
          'spec.containers[0].env[0].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
          'spec.containers[0].env[1].name: Required value',
        ),
      );
    },
    'a mount needs its volume, and a volume is of one type': async (t) => {
      expect(await refusedContainer(t, { volumeMounts: [{ name: 'none', mountPath: '/x' }] })).toEqual(
        badPod('spec.containers[0].volumeMounts[0].name: Not found: "none"'),
      );
      const volumes = [{ name: 'v', emptyDir: {}, secret: { secretName: 's' } }];
      expect(await refusedSpec(t, { volumes, containers: [container()] })).toEqual(
        badPod('spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type'),
      );
    },
    'a request is not more than its limit': async (t) => {
      const resources = { requests: { cpu: '2' }, limits: { cpu: '1' } };
      expect(await refusedContainer(t, { resources })).toEqual(
        badPod(
          'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
        ),
      );
    },
    'a quantity that is none is 400': async (t) => {
      expect(await refusedContainer(t, { resources: { requests: { cpu: 'x' } } })).toEqual(
        badRequest(
          'Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
        ),
      );
    },
    'a probe needs a way to probe': async (t) => {
      expect(await refusedContainer(t, { livenessProbe: { periodSeconds: -1 } })).toEqual(
        badPod(
          'spec.containers[0].livenessProbe: Required value: must specify a handler type',
          'spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0',
        ),
      );
      expect(await refusedContainer(t, { livenessProbe: { httpGet: { port: 80 }, successThreshold: 2 } })).toEqual(
        badPod('spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1'),
      );
    },
    'a service account and a priority class must be there': async (t) => {
      const ns = await t.podNamespace();
      expect(
        refusalOf(await t.post(podsIn(ns), pod({ serviceAccountName: 'none', containers: [container()] }))),
      ).toEqual({
        code: 403,
        reason: 'Forbidden',
        message: `pods "p" is forbidden: error looking up service account ${ns}/none: serviceaccount "none" not found`,
        details: { name: 'p', kind: 'pods' },
      });
      expect(
        refusalOf(await t.post(podsIn(ns), pod({ priorityClassName: 'none', containers: [container()] }))),
      ).toEqual({
        code: 403,
        reason: 'Forbidden',
        message: 'pods "p" is forbidden: no PriorityClass with name none was found',
        details: { name: 'p', kind: 'pods' },
      });
    },
    'a Pod of the system’s priority gets its number': async (t) => {
      const ns = await t.podNamespace();
      const spec = { priorityClassName: 'system-node-critical', containers: [container()] };
      expect((await t.make(podsIn(ns), pod(spec))).spec['priority']).toBe(2_000_001_000);
    },
    'a negative grace period becomes one second': async (t) => {
      const ns = await t.podNamespace();
      const made = await t.make(podsIn(ns), pod({ terminationGracePeriodSeconds: -1, containers: [container()] }));
      expect(made.spec['terminationGracePeriodSeconds']).toBe(1);
    },
    'an affinity needs a topology': async (t) => {
      const affinity = {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { a: 'b' } }, topologyKey: '' },
          ],
        },
      };
      const field = 'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey';
      const refusal = await refusedSpec(t, { affinity, containers: [container()] });
      expect(refusal.details).toMatchObject({
        causes: [
          { field, reason: 'FieldValueRequired', message: 'Required value: can not be empty' },
          expect.objectContaining({ field }),
          expect.objectContaining({ field }),
        ],
      });
    },
    'a Pod cannot be created with another status': async (t) => {
      const ns = await t.podNamespace();
      const made = successOf(
        await t.post(podsIn(ns), {
          ...pod({ containers: [container()] }),
          status: { phase: 'Running', podIP: '1.2.3.4' },
        }),
      );
      expect(made.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
    },
  },
};
