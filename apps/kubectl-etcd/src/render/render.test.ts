// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';
import { describe, expect, test } from 'vitest';
import { simulatePlan } from '../plan/simulate-plan.ts';
import { specChanges } from '../plan/spec-changes.ts';
import { clusterOf, newCluster, noon, restingCluster, withSpec } from '../testing/simulated-cluster.ts';
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
  const operators = [
    {
      program: 'etcd-operator',
      manages: 'all namespaces',
      namespace: 'ops',
      holder: 'pod-1',
      renewed: 2.4,
      isAlive: true,
    },
  ];
  const of = (cluster: EtcdCluster) =>
    statusReport({
      cluster,
      pods,
      events: events as unknown as Parameters<typeof statusReport>[0]['events'],
      operators,
    });

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

Operators
  OPERATOR        MANAGES          WORKING POD   RENEWED
  etcd-operator   all namespaces   ops/pod-1     2 s ago

Events
  12:00:00  ! Replacing Dead Member: example-c
`);
  });

  test('does not call a cluster Running that has lost its quorum', () => {
    const lost = { type: 'Available', status: 'False', reason: 'QuorumLost', message: 'why' } as const;
    const shown = print(of({ ...healing, status: { ...healing.status, conditions: [lost] } }), 'text');
    expect(shown).toMatch(/^EtcdCluster default\/example {3}not available \(QuorumLost\) {3}2 of 3 ready/);
  });

  test('shows no revision or size that was read long ago', () => {
    const details = healing.status?.memberDetails ?? [];
    const unreachable = details.map((detail) => ({ ...detail, healthy: false }));
    const rows = (status: EtcdCluster['status']) =>
      print(of({ ...healing, status: { ...healing.status, ...status } }), 'text')
        .split('\n')
        .filter((line) => line.includes('20 KiB'));
    expect(rows({})).toHaveLength(2);
    expect(rows({ memberDetails: unreachable })).toEqual([]);
    expect(rows({ controlPaused: true })).toEqual([]);
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
    expect(print(of(clusterOf({ size: 3 })), 'text')).toContain('no operator manages it yet   0 of 3 ready');
  });
});

describe('kubectl etcd plan', () => {
  const [from, to] = [
    { size: 1, version: '3.6.15' },
    { size: 1, version: '3.6.16' },
  ];
  const input = {
    cluster: { name: 'example', namespace: 'default' },
    file: 'new.yaml',
    isNew: false,
    changes: specChanges(from, to),
    simulation: simulatePlan(withSpec(restingCluster(from), to), noon),
    unreached: [],
  };
  const report = planReport(input);

  test('gives each step with how the voters stand, and the verdict', () => {
    const text = print(report, 'text').replaceAll(/example-\w+/g, 'example-x');
    expect(text).toBe(`\
EtcdCluster default/example: what the operator would do after new.yaml is applied

Changes:
  spec.version: 3.6.15 -> 3.6.16

Steps (simulated from the present cluster with the operator's own planner, which assumes that each step succeeds and that each pod starts):
  1. Checking image quay.io/coreos/etcd:v3.6.16 on node (node of example-x): pulling and running the image once before a member uses it.  [1 of 1 voter, 1 needed]
  2. Updating member example-x from 3.6.15 to 3.6.16 in place. Remaining members: 0. A cluster of this size cannot serve clients while a member restarts.  [0 of 1 voter, 1 needed]
  3. Confirming version 3.6.16 of member example-x: the member is reachable and runs this version.  [1 of 1 voter, 1 needed]
  4. Deleting the pod that tested the image on node (node of example-x): the pod is no longer needed.  [1 of 1 voter, 1 needed]

After these steps, nothing is left to do.
QUORUM IS LOST for a short time: at step 2: 0 of 1 voter is reachable, 1 is needed.
`);
  });

  test('says which members the planner knows too little of', () => {
    const unreached = [{ name: 'example-a', why: 'timed out' }];
    const blind = planReport({ ...input, unreached });
    expect(print(blind, 'text')).toContain(
      '\nNot reachable from here: example-a (timed out). The steps below assume that the',
    );
    expect(JSON.parse(print(blind, 'json'))).toMatchObject({ unreached });
  });

  test('says the same as data', () => {
    expect(JSON.parse(print(report, 'json'))).toMatchObject({ quorumSurvives: false, end: { kind: 'settled' } });
  });
});

test('kubectl etcd members shows who leads and who does not answer', () => {
  const world = restingCluster({ size: 2, version: '3.6.16' });
  const [unreachable = ''] = [...world.etcd.answers.keys()].slice(-1);
  const answers = new Map(world.etcd.answers).set(unreachable, {
    kind: 'unreachable',
    since: 0,
    why: 'connection refused',
  });
  const text = print(membersReport({ ...world, etcd: { ...world.etcd, answers } }), 'text');
  expect(text).toMatch(/Leader +3\.6\.16/);
  expect(text).toMatch(/Unknown +- +- +- +not reachable from here: connection refused\n/);
});

test('kubectl etcd members of a cluster without pods fails, and says where to look', () => {
  const report = membersReport(newCluster({ size: 3 }));
  expect(report.failure).toBe(
    'EtcdCluster default/example has no pods, so no member is reachable. To see why: kubectl etcd status example',
  );
  expect(print(report, 'text')).toBe('');
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [20480, '20 KiB'],
  [1.5 * 2 ** 30, '1.5 GiB'],
])('%d bytes are written %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
