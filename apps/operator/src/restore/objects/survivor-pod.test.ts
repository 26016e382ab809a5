// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { annotations, labels } from '../../api/names.ts';
import { desiredOf } from '../../cluster/desired.ts';
import { readContainer, survivorPod } from './survivor-pod.ts';

const desired = desiredOf('c', { size: 3, version: '3.6.16' });
if ('problems' in desired) throw new Error('unexpected');

const options = {
  cluster: { name: 'c', namespace: 'ns', uid: 'u' },
  desired: { ...desired, storage: 'claim' },
  spec: { size: 3, pod: { etcdEnv: [{ name: 'ETCD_ELECTION_TIMEOUT', value: '5000' }] } },
  name: 'c-a',
  incarnation: 1,
  identity: { clusterId: 'c1', memberId: 'm1' },
  tlsKeys: { peer: 'own', server: 'own', client: 'own' },
} as const;
const agent = { image: 'operator:v0', namespace: 'ns', pullSecrets: [{ name: 'pull' }] };
const pod = survivorPod(options, 'r1', agent);
const [etcd] = pod.spec?.containers ?? [];
const [read] = pod.spec?.initContainers ?? [];

test('the pod that reads a survivor mounts its volume read-only, and its etcd not at all', () => {
  expect(read).toMatchObject({
    name: readContainer,
    image: 'operator:v0',
    command: ['/usr/local/bin/etcd-restore-agent', '-survivor=/var/survivor/data', '-data-dir=/var/etcd/data'],
    volumeMounts: [
      { name: 'etcd-data', mountPath: '/var/survivor', readOnly: true },
      { name: 'survivor-copy', mountPath: '/var/etcd' },
    ],
  });
  expect(etcd?.volumeMounts).toEqual([{ name: 'survivor-copy', mountPath: '/var/etcd' }]);
  expect(pod.spec?.volumes).toMatchObject([
    { name: 'etcd-data', persistentVolumeClaim: { claimName: 'c-a' } },
    { name: 'survivor-copy', emptyDir: {} },
  ]);
  expect(pod.spec?.imagePullSecrets).toEqual([{ name: 'pull' }]);
});

test('its agent copies nothing if a snapshot has all of the log', () => {
  const [reader] = survivorPod(options, 'r1', agent, 60).spec?.initContainers ?? [];
  expect(reader?.command).toEqual([...(read?.command ?? []), '-held=60']);
});

test('its etcd does not wait for other members to become the leader, however long its cluster would', () => {
  expect(etcd?.env?.filter(({ name }) => /ELECTION_TIMEOUT|HEARTBEAT/.test(name))).toEqual([
    { name: 'ETCD_HEARTBEAT_INTERVAL', value: '10' },
    { name: 'ETCD_ELECTION_TIMEOUT', value: '100' },
  ]);
});

test('it is no Service endpoint, its peer port listens on loopback alone, and it has no flag that would matter at its next start', () => {
  expect(pod.metadata?.labels).not.toHaveProperty(labels.app);
  expect(pod.metadata?.annotations).toMatchObject({
    [annotations.startedByRestore]: 'r1',
    [annotations.initialClusterState]: 'existing',
  });
  expect(etcd?.command?.filter((word) => word.startsWith('--listen-'))).toEqual([
    '--listen-peer-urls=http://127.0.0.1:2380',
    '--listen-client-urls=http://0.0.0.0:2389',
  ]);
  expect(etcd?.command?.join(' ')).not.toContain('force');
});
