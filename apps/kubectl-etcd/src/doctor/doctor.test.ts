// SPDX-License-Identifier: Apache-2.0

import { conditionReasons, type EtcdCluster, type EtcdClusterStatus } from '@etcd-operator/operator';
import type { Pod } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { doctorReport } from '../render/doctor.ts';
import { clusterOf, noon, restingCluster } from '../testing/simulated-cluster.ts';
import { clusterFindings } from './cluster-findings.ts';
import { mostUrgentFirst } from './finding.ts';
import { remedies } from './generated/remedies.ts';
import { etcdFindings, operatorFindings } from './live-findings.ts';
import { orderFindings } from './order-findings.ts';
import { podFindings } from './pod-findings.ts';

const served = { type: 'Available', status: 'True', reason: 'Cluster available', message: '' } as const;
const cluster = (status: EtcdClusterStatus): EtcdCluster => ({
  ...clusterOf({ size: 3 }),
  status: { observedGeneration: 1, ...status },
});
const told = (status: EtcdClusterStatus) =>
  clusterFindings(cluster(status)).map(({ urgency, what }) => [urgency, what]);

describe('a cluster', () => {
  test('that serves and is as asked has nothing wrong', () => {
    const ready = { type: 'Ready', status: 'True', reason: 'Cluster available', message: '' } as const;
    expect(told({ conditions: [served, ready] })).toEqual([]);
  });

  test('without a quorum is urgent, reported once, and with the remedy of the table', () => {
    const lost = { reason: 'QuorumLost', message: 'Quorum lost: 1 of 3 voters is reachable.' };
    const conditions = [
      { type: 'Available', status: 'False', ...lost },
      { type: 'Ready', status: 'False', ...lost },
      { type: 'Stalled', status: 'True', ...lost },
    ] as const;
    expect(clusterFindings(cluster({ conditions }))).toEqual([
      {
        urgency: 'now',
        object: 'etcdcluster/example',
        namespace: 'default',
        what: 'not Available: QuorumLost',
        why: 'Quorum lost: 1 of 3 voters is reachable.',
        todo: 'Repair the nodes or volumes of the unreachable members; if their data is gone, follow the runbook quorum-lost.',
      },
    ]);
  });

  test('that no operator has seen, that was not acted upon, or that was changed while it was paused says so', () => {
    expect(clusterFindings(clusterOf({ size: 3 }))).toMatchObject([
      { urgency: 'now', what: 'No operator manages this cluster yet' },
    ]);
    expect(told({ observedGeneration: 0, conditions: [served] })).toEqual([
      ['soon', 'The latest spec is not reconciled'],
    ]);
    expect(told({ observedGeneration: 0, controlPaused: true, conditions: [served] })).toEqual([
      ['later', 'Paused, and changed since'],
    ]);
  });

  test('with members that are not healthy names each of them', () => {
    const memberDetails = [
      { name: 'a', healthy: true },
      { name: 'b', healthy: false, reason: 'no answer for 9 s' },
    ];
    expect(told({ conditions: [served], memberDetails })).toEqual([['soon', 'Member b is not healthy']]);
  });

  test('has a remedy for every reason of the operator that needs action', () => {
    const missing = Object.values(conditionReasons).filter((reason) => !remedies['EtcdCluster']?.[reason]);
    expect(missing).toEqual([]);
  });
});

test('pods that wait, restart or find no node are reported with what to do', () => {
  const pod = (status: Pod['status']): Pod => ({ metadata: { name: 'p', namespace: 'ns' }, ...(status && { status }) });
  const container = { name: 'etcd', image: '', imageID: '', ready: false, restartCount: 0 };
  const findings = podFindings([
    pod({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] }),
    pod({
      containerStatuses: [{ ...container, state: { waiting: { reason: 'ImagePullBackOff', message: 'no such' } } }],
    }),
    pod({ containerStatuses: [{ ...container, restartCount: 9, lastState: { terminated: { exitCode: 2 } } }] }),
    pod({ containerStatuses: [{ ...container, state: { waiting: { reason: 'ContainerCreating' } } }] }),
  ]);
  expect(findings.map(({ what, why }) => [what, why])).toEqual([
    ['Pending: no node fits the pod', '0/3 nodes are available'],
    ['Container etcd waits: ImagePullBackOff', 'no such'],
    [
      'Container etcd restarts often',
      'The container has restarted 9 times. Reason of the last restart: unknown, exit code 2.',
    ],
  ]);
});

describe('backups and restores', () => {
  const example = clusterOf({ size: 3 });
  const backup = (status: object, spec: object = { clusterRef: { name: 'example' } }) => ({
    metadata: { name: 'b', namespace: 'default' },
    spec: { storageType: 'S3', ...spec },
    status,
  });
  const whats = (...backups: readonly ReturnType<typeof backup>[]) =>
    orderFindings(example, backups, [], noon).map(({ what }) => what);

  test('a cluster that was never backed up is reported', () => {
    expect(whats()).toEqual(['No backup']);
    expect(whats(backup({ succeeded: true }))).toEqual([]);
    const byService = { etcdEndpoints: ['https://example-client.default.svc:2379'] };
    expect(whats(backup({ succeeded: true }, byService))).toEqual([]);
    expect(whats(backup({ succeeded: true }, { clusterRef: { name: 'other' } }))).toEqual(['No backup']);
  });

  test('a failed one, and one that no operator starts, are reported', () => {
    const conditions = [{ type: 'Succeeded', status: 'False', reason: 'BucketMissing', message: 'no bucket' }];
    expect(orderFindings(example, [backup({ conditions, lastSuccessDate: '2026-01-01T00:00:00Z' })], [], noon)).toEqual(
      [
        expect.objectContaining({
          what: 'Backup failed: BucketMissing',
          why: 'no bucket. The last successful backup was made at 2026-01-01T00:00:00Z.',
          todo: 'Create the bucket, or correct the path in the spec.',
        }),
      ],
    );
    const late = { lastSuccessDate: '2026-01-01T00:00:00Z', nextScheduleDate: '2026-01-01T11:00:00Z' };
    expect(whats(backup(late))).toEqual(['Backup overdue']);
    expect(whats(backup({ ...late, nextScheduleDate: '2026-01-01T13:00:00Z' }))).toEqual([]);
  });

  test('a failed restore waits for the user', () => {
    const restore = {
      metadata: { name: 'r', namespace: 'default' },
      spec: { backupStorageType: 'S3', etcdCluster: { name: 'example' } },
      status: { succeeded: false, phase: 'Failed', reason: 'the hash does not fit' },
    } as const;
    expect(orderFindings(example, [backup({ succeeded: true })], [restore], noon)).toMatchObject([
      { urgency: 'soon', what: 'Restore: Failed', why: 'the hash does not fit' },
    ]);
  });
});

test('an operator that no longer renews its Lease is reported; without a Lease, none is', () => {
  const operator = { program: 'etcd-operator', namespace: 'ops', manages: 'all namespaces', holder: 'p', renewed: 90 };
  expect(operatorFindings([{ ...operator, isAlive: false }], 'web', 'etcdcluster/c')).toMatchObject([
    { urgency: 'now', what: 'No operator works', why: 'The operator has not renewed its Lease for 90 s.' },
  ]);
  expect(operatorFindings([{ ...operator, isAlive: true }], 'web', 'etcdcluster/c')).toEqual([]);
  expect(operatorFindings([], 'web', 'etcdcluster/c')).toEqual([]);
});

test('etcd without a quorum, and a member that does not answer, are reported in their present state', () => {
  const world = restingCluster({ size: 3 });
  expect(etcdFindings(world)).toEqual([]);
  const unknown = { ...world, etcd: { ...world.etcd, membership: { kind: 'unknown', why: 'no leader' } as const } };
  expect(etcdFindings(unknown)).toMatchObject([{ urgency: 'now', what: 'etcd has no quorum now', why: 'no leader' }]);
  const [one = ''] = world.etcd.answers.keys();
  const silent = { kind: 'unreachable', since: 0, why: 'timed out' } as const;
  const answers = new Map(world.etcd.answers).set(one, silent);
  expect(etcdFindings({ ...world, etcd: { ...world.etcd, answers } })).toMatchObject([
    { urgency: 'soon', what: `Member ${one} is not reachable from here`, why: expect.stringContaining('timed out') },
  ]);
});

test('members that only the plugin does not reach are not taken for lost', () => {
  const world = restingCluster({ size: 3 });
  const silent = { kind: 'unreachable', since: 0, why: 'timed out' } as const;
  const answers = new Map([...world.etcd.answers.keys()].map((name) => [name, silent]));
  const membership = { kind: 'unknown', why: 'no member is reachable' } as const;
  const unseen = { ...world, etcd: { ...world.etcd, membership, answers } };
  const [name = ''] = answers.keys();
  expect(etcdFindings(unseen)).toMatchObject([
    {
      urgency: 'soon',
      what: 'etcd is not reachable from here',
      why: expect.stringContaining(`Not reachable from here: ${name} (timed out)`),
      todo: expect.stringContaining('Do not restore a backup'),
    },
  ]);
  // Their probes fail, too: then etcd may have no quorum, but the members need not be lost.
  const failing = { ...unseen, pods: world.pods.map((pod) => ({ ...pod, ready: false })) };
  expect(etcdFindings(failing)).toMatchObject([
    {
      urgency: 'now',
      what: 'No quorum is reachable from here',
      todo: expect.stringContaining('A member that is not reachable is not lost'),
    },
  ]);
});

test('the most urgent comes first, and each finding says what, why and what to do', () => {
  const finding = { object: 'pod/p', namespace: 'ns', why: 'because', todo: 'Do it.' };
  const found = mostUrgentFirst([
    { ...finding, urgency: 'later', what: 'third' },
    { ...finding, urgency: 'now', what: 'first' },
    { ...finding, urgency: 'soon', what: 'second' },
  ]);
  expect(doctorReport(found, 1).lines(false).slice(0, 5)).toEqual([
    'NOW    pod/p -n ns: first',
    '       why:   because',
    '       to do: Do it.',
    '',
    'SOON   pod/p -n ns: second',
  ]);
  expect(doctorReport([], 2).lines(false)).toEqual(['No problem found in 2 clusters.']);
});
