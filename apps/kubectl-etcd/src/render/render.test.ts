// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';
import { describe, expect, test } from 'vitest';
import { rehearse } from '../plan/rehearse.ts';
import { specChanges } from '../plan/spec-changes.ts';
import { clusterOf, noon, restingCluster, withSpec } from '../testing/imagined-cluster.ts';
import { formatBytes } from './bytes.ts';
import { membersReport } from './members.ts';
import { planReport } from './plan.ts';
import { print } from './print.ts';
import { statusReport } from './status.ts';

const healing: EtcdCluster = {
  ...clusterOf({ size: 3, version: '3.6.16' }),
  status: {
    phase: 'Running',
    observedGeneration: 1,
    readySize: 2,
    size: 3,
    currentVersion: '3.6.16',
    memberDetails: [
      {
        name: 'example-a',
        id: '1a',
        role: 'Leader',
        version: '3.6.16',
        revision: 12,
        databaseSize: 20480,
        healthy: true,
      },
      {
        name: 'example-b',
        id: '2b',
        role: 'Follower',
        version: '3.6.16',
        revision: 12,
        databaseSize: 20480,
        healthy: true,
      },
      { name: 'example-c', id: '3c', role: 'Unknown', healthy: false, reason: 'its pod is gone' },
    ],
    conditions: [{ type: 'Available', status: 'True', reason: 'Degraded', message: '2 of 3 voters answer' }],
    plan: { next: ['example-d joins: example-c is lost'], waitingFor: [] },
  },
};

describe('kubectl etcd status', () => {
  const pods = [
    { metadata: { name: 'example-a' }, spec: { nodeName: 'node-1', containers: [] }, status: { podIP: '10.1.0.2' } },
  ];
  const events = [
    { type: 'Warning', reason: 'Replacing Dead Member', message: 'example-c', lastTimestamp: '2026-01-01T12:00:00Z' },
  ];
  const of = (cluster: EtcdCluster) =>
    statusReport({ cluster, pods, events: events as unknown as Parameters<typeof statusReport>[0]['events'] });

  test('shows members, conditions, what is being done and why', () => {
    expect(print(of(healing), 'text')).toBe(`\
EtcdCluster default/example   Running   2 of 3 ready   etcd 3.6.16

NAME        ROLE       VERSION   REVISION   SIZE     HEALTHY   NODE     WHY
example-a   Leader     3.6.16    12         20 KiB   yes       node-1
example-b   Follower   3.6.16    12         20 KiB   yes       -
example-c   Unknown    -         -          -        no        -        its pod is gone

Conditions
  Available        True    Degraded: 2 of 3 voters answer

Doing
  - example-d joins: example-c is lost

Events
  12:00:00  ! Replacing Dead Member: example-c
`);
  });

  test('-o wide adds IDs and addresses', () => {
    expect(print(of(healing), 'wide')).toContain('node-1   1a   10.1.0.2');
  });

  test('-o json and yaml say the same as data', () => {
    const data: unknown = JSON.parse(print(of(healing), 'json'));
    expect(data).toMatchObject({ name: 'example', size: { wanted: 3, ready: 2 }, plan: { waitingFor: [] } });
    expect(print(of(healing), 'yaml')).toContain('phase: Running\n');
  });

  test('of a cluster that no operator has seen says so', () => {
    expect(print(of(clusterOf({ size: 3 })), 'text')).toContain('not seen by an operator yet   0 of 3 ready');
  });
});

describe('kubectl etcd plan', () => {
  const [from, to] = [
    { size: 1, version: '3.6.15' },
    { size: 1, version: '3.6.16' },
  ];
  const report = planReport({
    cluster: { name: 'example', namespace: 'default' },
    file: 'new.yaml',
    isNew: false,
    changes: specChanges(from, to),
    rehearsal: rehearse(withSpec(restingCluster(from), to), noon),
  });

  test('gives each step with how the voters stand, and the verdict', () => {
    const text = print(report, 'text').replaceAll(/example-\w+/g, 'example-x');
    expect(text).toBe(`\
EtcdCluster default/example: what new.yaml would do

Changes:
  spec.version: 3.6.15 -> 3.6.16

Steps (rehearsed with the operator's own planner on the cluster as it is now, assuming that each step succeeds and each pod comes up):
  1. checkImage: pulls quay.io/coreos/etcd:v3.6.16 on node (node of example-x) and runs it once before a member depends on it  [1 of 1 voters, 1 needed]
  2. setImage: example-x goes from 3.6.15 to 3.6.16 in place, 0 to follow; a cluster of this size cannot serve while it restarts  [0 of 1 voters, 1 needed]
  3. settleImage: example-x answers with 3.6.16  [1 of 1 voters, 1 needed]
  4. deleteImageCheck: the image check on node (node of example-x) has served its purpose  [1 of 1 voters, 1 needed]

Then nothing is left to do.
QUORUM IS LOST for a moment: at step 2 0 of 1 voters answer and 1 is needed.
`);
  });

  test('says the same as data', () => {
    expect(JSON.parse(print(report, 'json'))).toMatchObject({ quorumSurvives: false, end: { kind: 'settled' } });
  });
});

test('kubectl etcd members shows who leads and who does not answer', () => {
  const world = restingCluster({ size: 2, version: '3.6.16' });
  const [silent = ''] = [...world.etcd.answers.keys()].slice(-1);
  const answers = new Map(world.etcd.answers).set(silent, { kind: 'silent', since: 0, why: 'connection refused' });
  const text = print(membersReport({ ...world, etcd: { ...world.etcd, answers } }), 'text');
  expect(text).toMatch(/Leader +3\.6\.16/);
  expect(text).toMatch(/Unknown +- +- +- +connection refused\n/);
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [20480, '20 KiB'],
  [1.5 * 2 ** 30, '1.5 GiB'],
])('%d bytes are written %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
