// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { annotations, labels } from '../../api/names.ts';
import { desiredOf } from '../../cluster/desired.ts';
import { podWeaknesses } from '../../cluster/grants/pod-weaknesses.ts';
import { heldIn, holderName, holderPod } from './holder-pod.ts';

const restore = { name: 'recover.it', namespace: 'default', uid: '0b0e3c1e-0000-4000-8000-000000000001' };
const sidecar = { name: 'proxy', image: 'proxy:1' };
const pod = {
  antiAffinity: true,
  persistentVolumeClaimSpec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  sidecars: [sidecar],
  initContainers: [{ ...sidecar, name: 'prepare' }],
} as const;
const spec = { size: 3, version: '3.6.16', pod };
const desired = desiredOf('c', spec);
if ('problems' in desired) throw new Error(desired.problems.join());
const held = { member: 'c-1', podUid: 'u1', index: 60 };
const made = holderPod({
  ...{ restore, desired, spec, held, incarnation: 1, bytes: 100 * 1024 * 1024 },
  cluster: { name: 'c', namespace: 'default', uid: 'c1' },
  tlsKeys: { peer: 'own', server: 'own', client: 'own' },
  agent: { image: 'operator:1', namespace: 'operators', pullSecrets: [] },
});
const containers = [...(made.spec?.initContainers ?? []), ...(made.spec?.containers ?? [])];

describe('the pod that holds a snapshot of a survivor', () => {
  test('receives it, restores it and serves it, and runs nothing of the user', () => {
    expect(containers.map(({ name }) => name)).toEqual(['fetch-backup', 'restore-datadir', 'etcd']);
    expect(JSON.stringify(made)).not.toContain('bump-revision');
  });

  test('says whose snapshot it is', () => {
    expect(heldIn(made)).toEqual(held);
    expect(heldIn({ metadata: {} })).toBeUndefined();
    const noted = (text: string) => heldIn({ metadata: { annotations: { [annotations.heldSnapshot]: text } } });
    expect(noted('c-1 u1 60 58')).toEqual({ ...held, applied: 58 });
    expect(noted('c-1 u1 60 x')).toEqual(held);
    expect(noted('c-1 u1')).toBeUndefined();
    expect(holderName(restore)).toBe('recover-it-snapshot-0b0e3c1e');
    expect(holderName({ ...restore, name: 'x'.repeat(253) }).length).toBeLessThanOrEqual(63);
  });

  test('has no volume, is behind no Service, is no member, and belongs to the EtcdRestore', () => {
    expect(JSON.stringify(made.spec?.volumes)).not.toContain('persistentVolumeClaim');
    expect(made.metadata?.labels).toEqual({ [labels.cluster]: holderName(restore) });
    expect(made.metadata?.ownerReferences).toMatchObject([{ kind: 'EtcdRestore', uid: restore.uid }]);
  });

  test('may run beside members if there is no other node, and is bounded in memory and disk', () => {
    const { podAntiAffinity } = made.spec?.affinity ?? {};
    expect(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toBeUndefined();
    for (const { resources } of containers) expect(resources?.limits).toMatchObject({ memory: '356Mi' });
    expect(made.spec?.volumes?.flatMap(({ emptyDir }) => emptyDir?.sizeLimit ?? [])).toEqual(['556Mi', '556Mi']);
  });

  test('meets the restricted Pod Security Standard, and no peer reaches it', () => {
    expect(made.spec).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
    for (const { securityContext: containerSecurityContext } of containers)
      expect(podWeaknesses({ ...(containerSecurityContext && { containerSecurityContext }) })).toEqual([]);
    const { command = [] } = made.spec?.containers[0] ?? {};
    expect(command).toContain('--listen-peer-urls=http://127.0.0.1:2380');
    expect(command).toContain('--listen-client-urls=http://0.0.0.0:2389');
  });
});
