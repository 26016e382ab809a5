// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { annotations, labels } from '../../api/names.ts';
import { desiredOf } from '../../cluster/desired.ts';
import { portOf, snapshotPod, snapshotPort } from './snapshot-pod.ts';

const desired = desiredOf('c', { size: 3, version: '3.6.16' });
if ('problems' in desired) throw new Error('unexpected');

const pod = snapshotPod(
  {
    cluster: { name: 'c', namespace: 'ns', uid: 'u' },
    desired: { ...desired, storage: 'claim' },
    spec: {
      size: 3,
      pod: {
        etcdEnv: [{ name: 'ETCD_LISTEN_CLIENT_HTTP_URLS', value: 'http://0.0.0.0:2379' }],
        sidecars: [{ name: 'beside', image: 'x:1' }],
        initContainers: [{ name: 'before', image: 'x:1' }],
      },
    },
    name: 'c-a',
    incarnation: 1,
    identity: { clusterId: 'c1', memberId: 'm1' },
    tlsKeys: { peer: 'own', server: 'own', client: 'own' },
  },
  'r1',
);
const [etcd] = pod.spec?.containers ?? [];

test('a member that is started for a snapshot has no bootstrap configuration: it can only continue where it was', () => {
  expect(pod.metadata?.annotations).toMatchObject({
    [annotations.initialCluster]: 'cleared=http://127.0.0.1:1',
    [annotations.initialClusterState]: 'existing',
    [annotations.clusterId]: 'c1',
    [annotations.memberId]: 'm1',
    [annotations.startedByRestore]: 'r1',
  });
  expect(pod.spec?.initContainers).toBeUndefined();
  expect(pod.spec?.volumes?.[0]).toMatchObject({ persistentVolumeClaim: { claimName: 'c-a' } });
});

test('no container of a user runs in it', () => {
  expect(pod.spec?.containers.map(({ name }) => name)).toEqual(['etcd']);
  expect(pod.spec).not.toHaveProperty('initContainers');
});

test('its peers find it by name, and no client of a Service can reach it', () => {
  expect(pod.metadata?.labels).toMatchObject({ [labels.app]: 'etcd', [labels.cluster]: 'c' });
  const listens = etcd?.command?.filter((word) => word.startsWith('--listen-')) ?? [];
  expect(listens).toEqual([
    '--listen-peer-urls=http://0.0.0.0:2380',
    `--listen-client-urls=http://0.0.0.0:${snapshotPort}`,
  ]);
  expect(etcd?.env?.map(({ name }) => name)).not.toContain('ETCD_LISTEN_CLIENT_HTTP_URLS');
  // Ready means that clients can use the pod; nothing ever listens on this port.
  expect(etcd?.readinessProbe).toMatchObject({ tcpSocket: { port: 2379 } });
  expect(etcd).not.toHaveProperty('livenessProbe');
  expect(etcd).not.toHaveProperty('startupProbe');
});

test('the operator asks it at its own port, and all others at the usual one', () => {
  expect(portOf(pod)).toBe(snapshotPort);
  expect(portOf({ metadata: { name: 'other' } })).toBe(2379);
});
