// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { annotations, clearedInitialCluster, labels } from '../../api/names.ts';
import { desiredOf } from '../../cluster/desired.ts';
import { restoreSecret } from './restore-secret.ts';
import { seedPod } from './seed-pod.ts';

const source = {
  restoreUid: 'restore-uid',
  secretName: 'r-restore-restore',
  agent: { image: 'operator:v1', namespace: 'default', pullSecrets: [{ name: 'registry' }] },
  revisionBump: 1000,
};

function podOf(version: string, more: Partial<typeof source> = {}, pod: EtcdClusterSpec['pod'] = {}): Pod {
  const spec = { size: 3, version, pod };
  const desired = desiredOf('example', spec);
  if ('problems' in desired) throw new Error('unexpected');
  const cluster = { name: 'example', namespace: 'default', uid: 'cluster-uid' };
  const tlsKeys = { peer: 'own', server: 'own', client: 'own' } as const;
  return seedPod({ cluster, desired, spec, name: 'example-abc', incarnation: 2, tlsKeys }, { ...source, ...more });
}

const init = (pod: Pod, name: string) => pod.spec?.initContainers?.find((container) => container.name === name);

describe('the pod that a restore begins with', () => {
  test('[98] knows its own name without DNS: some tools ask for it', () => {
    const own = [{ ip: '127.0.0.1', hostnames: ['example-abc.example.default.svc'] }];
    for (const version of ['3.3.25', '3.6.16']) expect(podOf(version).spec?.hostAliases).toEqual(own);
  });

  test('[98] has the init containers of CoreOS etcd-operator, from no image but ours and etcd', () => {
    const pod = podOf('3.6.16');
    expect(pod.spec?.initContainers?.map(({ name, image }) => [name, image])).toEqual([
      ['fetch-backup', 'operator:v1'],
      ['restore-datadir', 'quay.io/coreos/etcd:v3.6.16'],
    ]);
  });

  test('has the containers that its spec adds, after those that make its data', () => {
    const added = { sidecars: [{ name: 'beside', image: 'x:1' }], initContainers: [{ name: 'before', image: 'x:1' }] };
    const { spec } = podOf('3.6.16', {}, added);
    expect(spec?.containers.map(({ name }) => name)).toEqual(['etcd', 'beside']);
    expect(spec?.initContainers?.map(({ name }) => name)).toEqual(['fetch-backup', 'restore-datadir', 'before']);
  });

  test.each([
    ['3.3.27', '/usr/local/bin/etcdctl', false],
    ['3.4.23', '/usr/local/bin/etcdctl', false],
    ['3.4.44', '/usr/local/bin/etcdctl', true],
    ['3.5.35', '/usr/local/bin/etcdutl', true],
    ['3.7.3', '/usr/local/bin/etcdutl', true],
  ])('[98] is restored by the own tool of %s, without a shell', (version, program, bumps) => {
    const command = init(podOf(version), 'restore-datadir')?.command ?? [];
    expect(command[0]).toBe(program);
    expect(command.includes('--bump-revision=1000')).toBe(bumps);
    expect(command.includes('--mark-compacted')).toBe(bumps);
    expect(command.join(' ')).not.toMatch(/\bsh\b/);
  });

  test('a bump of 0 leaves revisions as they are', () => {
    const command = init(podOf('3.6.16', { revisionBump: 0 }), 'restore-datadir')?.command ?? [];
    expect(command.filter((argument) => argument.includes('bump') || argument.includes('compacted'))).toEqual([]);
  });

  test('operator rule 4: token and addresses are of the new incarnation', () => {
    const command = init(podOf('3.6.16'), 'restore-datadir')?.command ?? [];
    expect(command).toContain('--initial-cluster-token=cluster-uid-2');
    expect(command).toContain('--name=example-abc');
  });

  test('operator rules 1 and 30: has no bootstrap configuration from the start, and is no Service endpoint', () => {
    const { metadata } = podOf('3.6.16');
    expect(metadata?.annotations?.[annotations.initialCluster]).toBe(clearedInitialCluster);
    expect(metadata?.labels?.[labels.app]).toBeUndefined();
    expect(metadata?.labels).toMatchObject({ [labels.cluster]: 'example', [labels.incarnation]: '2' });
  });

  test('fault 8: what makes it restore is an annotation, read at every start', () => {
    const container = init(podOf('3.6.16'), 'restore-datadir');
    expect(container?.command?.at(-1)).toBe('$(RESTORE_SWITCH)');
    expect(container?.env?.find(({ name }) => name === 'RESTORE_SWITCH')?.valueFrom?.fieldRef?.fieldPath).toContain(
      'restore-switch',
    );
  });

  test('D35: the key is in a file that only the agent mounts, never in the spec', () => {
    const key = Buffer.alloc(32, 7);
    const secret = restoreSecret({ name: 'r', namespace: 'default', uid: 'restore-uid' }, key);
    const pod = podOf('3.6.16');
    expect(JSON.stringify(pod)).not.toContain(key.toString('hex'));
    expect(JSON.stringify(pod)).not.toContain(secret.data?.['key']);
    const mounting = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].filter((container) =>
      container.volumeMounts?.some(({ name }) => name === 'restore-key'),
    );
    expect(mounting.map(({ name }) => name)).toEqual(['fetch-backup']);
  });

  test('pulls the agent as the operator does, in the same namespace only', () => {
    expect(podOf('3.6.16').spec?.imagePullSecrets).toEqual([{ name: 'registry' }]);
    const elsewhere = { agent: { ...source.agent, namespace: 'operators' } };
    expect(podOf('3.6.16', elsewhere).spec?.imagePullSecrets).toBeUndefined();
  });

  test('comes up after a reboot when its Secret is gone', () => {
    const volume = podOf('3.6.16').spec?.volumes?.find(({ name }) => name === 'restore-key');
    expect(volume?.secret?.optional).toBe(true);
  });
});
