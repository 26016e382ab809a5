// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';
import { plainText } from '../../terminal/line.ts';
import { emptyState, type State } from '../state.ts';
import { view } from '../view.ts';

/** Two of three members are healthy, and the operator is about to add one. */
export const cluster: EtcdCluster = {
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdCluster',
  metadata: { name: 'example', namespace: 'default' },
  spec: { size: 3 },
  status: {
    phase: 'Running',
    readySize: 2,
    currentVersion: '3.6.16',
    memberDetails: [
      { name: 'example-a', role: 'Leader', version: '3.6.16', revision: 7, databaseSize: 20480, healthy: true },
      { name: 'example-b', role: 'Follower', version: '3.6.16', revision: 7, databaseSize: 20480, healthy: true },
      { name: 'example-c', role: 'Unknown', healthy: false, reason: 'its pod is gone' },
    ],
    plan: { next: ['example-d joins: the cluster has 2 of 3 members'], waitingFor: [] },
  },
};

/** The screen for it, with its second member selected. */
export const state: State = {
  ...emptyState,
  now: 12.34,
  clusters: [cluster],
  cluster,
  placement: new Map([
    ['example-a', 'node-1'],
    ['example-b', 'node-2'],
  ]),
  nodes: [
    { name: 'node-1', isReady: true, isCut: false },
    { name: 'node-2', isReady: true, isCut: true },
  ],
  notes: [{ at: 11.9, text: 'you killed example-c', tone: 'bad' }],
  selected: 'example-b',
};

/** The content of a screen of that size. */
export const screen = (of: State, columns: number, rows: number) =>
  view(of, { columns, rows }).map(plainText).join('\n');
