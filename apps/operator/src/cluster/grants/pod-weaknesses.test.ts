// SPDX-License-Identifier: Apache-2.0
import { namespaces, type Pod, pods } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PodPolicy } from '../../api/etcd-cluster.ts';
import { ApiServerScene } from '../../testing/api-server-scene.ts';
import { desiredOf } from '../desired.ts';
import { memberPod } from '../objects/member-pod.ts';
import { podWeaknesses } from './pod-weaknesses.ts';

const pod = 'spec.pod.securityContext';
const container = 'spec.pod.containerSecurityContext';

/** Pod policies, each with the message about it. */
const weak: readonly (readonly [PodPolicy, string])[] = [
  [{ containerSecurityContext: { privileged: true } }, `${container}.privileged is true`],
  [{ containerSecurityContext: { allowPrivilegeEscalation: true } }, `${container}.allowPrivilegeEscalation is true`],
  [{ containerSecurityContext: { capabilities: { add: ['SYS_ADMIN'] } } }, `${container}.capabilities.add[0] is SYS_`],
  [{ containerSecurityContext: { capabilities: { add: ['ALL'] } } }, `${container}.capabilities.add[0] is ALL`],
  [
    { containerSecurityContext: { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'CHOWN'] } } },
    `${container}.capabilities.add[1] is CHOWN`,
  ],
  [{ containerSecurityContext: { runAsUser: 0 } }, `${container}.runAsUser is 0`],
  [{ containerSecurityContext: { runAsNonRoot: false } }, `${container}.runAsNonRoot is false`],
  [{ containerSecurityContext: { seccompProfile: { type: 'Unconfined' } } }, `${container}.seccompProfile.type is Unc`],
  [
    { containerSecurityContext: { appArmorProfile: { type: 'Unconfined' } } },
    `${container}.appArmorProfile.type is Un`,
  ],
  [{ containerSecurityContext: { procMount: 'Unmasked' } }, `${container}.procMount is Unmasked`],
  [{ containerSecurityContext: { seLinuxOptions: { type: 'spc_t' } } }, `${container}.seLinuxOptions.type is spc_t`],
  [
    { containerSecurityContext: { windowsOptions: { hostProcess: true } } },
    `${container}.windowsOptions.hostProcess is`,
  ],
  [{ securityContext: { runAsUser: 0 } }, `${pod}.runAsUser is 0`],
  [{ securityContext: { runAsNonRoot: false } }, `${pod}.runAsNonRoot is false`],
  [{ securityContext: { seccompProfile: { type: 'Unconfined' } } }, `${pod}.seccompProfile.type is Unconfined`],
  [{ securityContext: { appArmorProfile: { type: 'Unconfined' } } }, `${pod}.appArmorProfile.type is Unconfined`],
  [{ securityContext: { seLinuxOptions: { user: 'system_u' } } }, `${pod}.seLinuxOptions.user is system_u`],
  [{ securityContext: { seLinuxOptions: { role: 'system_r' } } }, `${pod}.seLinuxOptions.role is system_r`],
  [
    { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
    `${pod}.sysctls[0].name is kernel.msgmax`,
  ],
  [{ securityContext: { windowsOptions: { hostProcess: true } } }, `${pod}.windowsOptions.hostProcess is true`],
];

const safe: readonly (readonly [string, PodPolicy])[] = [
  ['nothing', {}],
  ["CoreOS's example", { securityContext: { runAsNonRoot: true, runAsUser: 9000, fsGroup: 9000 } }],
  ['another user', { securityContext: { runAsUser: 1234, runAsGroup: 0, supplementalGroups: [5] } }],
  ['a user of the container', { containerSecurityContext: { runAsUser: 1234, privileged: false } }],
  ['a file system to write on', { containerSecurityContext: { readOnlyRootFilesystem: false } }],
  ['low ports', { containerSecurityContext: { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } } }],
  ['less said twice', { containerSecurityContext: { allowPrivilegeEscalation: false, runAsNonRoot: true } }],
  ['a profile of the node', { securityContext: { runAsUser: 1, seccompProfile: localhost() } }],
  [
    'a level of SELinux',
    { securityContext: { runAsUser: 1, seLinuxOptions: { level: 's0:c1', type: 'container_t' } } },
  ],
  [
    'a sysctl of the pod',
    { securityContext: { runAsUser: 1, sysctls: [{ name: 'net.ipv4.tcp_keepalive_time', value: '60' }] } },
  ],
  [
    'a profile of AppArmor',
    { annotations: { 'container.apparmor.security.beta.kubernetes.io/etcd': 'runtime/default' } },
  ],
];

function localhost() {
  return { type: 'Localhost', localhostProfile: 'etcd.json' } as const;
}

describe('what weakens the restricted Pod Security Standard', () => {
  test.each(weak)('%j', (policy, words) => {
    expect(podWeaknesses(policy)).toEqual([expect.stringContaining(words)]);
  });

  test.each(safe)('%s does not', (_what, policy) => {
    expect(podWeaknesses(policy)).toEqual([]);
  });

  test('an annotation that turns AppArmor off', () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/etcd';
    expect(podWeaknesses({ annotations: { [key]: 'unconfined', other: 'unconfined' } })).toEqual([
      `spec.pod.annotations["${key}"] is unconfined`,
    ]);
  });

  test('a field that is in no table does', () => {
    const securityContext = { mayDoAnything: true } as PodPolicy['securityContext'];
    expect(podWeaknesses({ ...(securityContext && { securityContext }) })).toEqual([
      `${pod}.mayDoAnything is not known to be safe`,
    ]);
    const constructed = { constructor: {} } as unknown as NonNullable<PodPolicy['securityContext']>;
    expect(podWeaknesses({ securityContext: constructed })).toHaveLength(1);
  });

  test('text from the spec is reported in part only', () => {
    const add = ['X'.repeat(100_000)];
    expect(podWeaknesses({ containerSecurityContext: { capabilities: { add } } })[0]?.length).toBeLessThan(200);
  });
});

describe('an API server whose namespace enforces the restricted level', () => {
  let scene: ApiServerScene;
  beforeAll(async () => {
    scene = await ApiServerScene.open();
    const enforce = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await scene.client.resource(namespaces).create({ metadata: { name: 'strict', labels: enforce } });
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  const create = async (policy: PodPolicy) => {
    const { items } = await scene.client.resource(pods).list({ namespace: 'strict' });
    return scene.client.resource(pods).create(podOf(policy, `etcd-${items.length}`));
  };

  test.each(safe)('takes the member of a spec with %s', async (_what, policy) => {
    await expect(create(policy)).resolves.toBeDefined();
  });

  test.each(weak)('refuses, as the operator does, the member of %j', async (policy) => {
    await expect(create(policy)).rejects.toThrow(/violates PodSecurity|Invalid|Unsupported|forbidden/i);
  });
});

function podOf(policy: PodPolicy, name: string): Pod {
  const spec = { size: 3, pod: policy };
  const desired = desiredOf('example', spec);
  if ('problems' in desired) throw new Error(desired.problems.join('; '));
  return memberPod({
    cluster: { name: 'example', namespace: 'strict', uid: '0b7a3c3e-6c2f-4f52-9a3e-6b1f5d1c2a77' },
    ...{ desired, spec, name, incarnation: 1 },
    boot: { state: 'existing', members: [] },
    tlsKeys: { peer: 'own', server: 'own', client: 'own' },
  });
}
