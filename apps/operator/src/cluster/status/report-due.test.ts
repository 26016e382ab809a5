// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { EtcdClusterStatus } from '../../api/etcd-cluster.ts';
import { reportDue } from './report-due.ts';

const available = {
  type: 'Available',
  status: 'False',
  reason: 'Bootstrapping',
  message: 'the first member is starting',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  lastUpdateTime: '2026-01-01T00:00:00Z',
} as const;
const before: EtcdClusterStatus = {
  phase: 'Creating',
  size: 1,
  readySize: 1,
  conditions: [available],
  plan: { next: [], waitingFor: ['b is starting'] },
  memberDetails: [{ name: 'a', id: '1', role: 'Leader', healthy: true, revision: 100, databaseSize: 4096 }],
};
const withCondition = (change: object) => ({ ...before, conditions: [{ ...available, ...change }] });

describe('when a status is written', () => {
  test('never if it says what it said', () => {
    expect(reportDue(before, { ...before }, 10_000)).toBeUndefined();
  });

  test.each<[string, EtcdClusterStatus]>([
    ['phase', { ...before, phase: 'Running' }],
    ['status of a condition', withCondition({ status: 'True' })],
    ['reason of a condition', withCondition({ reason: 'QuorumLost' })],
    ['another condition', { ...before, conditions: [available, { ...available, type: 'Paused' }] }],
    ['identity', { ...before, clusterID: 'cdf818194e3a8c32' }],
    ['version', { ...before, currentVersion: '3.6.16' }],
    ['generation', { ...before, observedGeneration: 2 }],
    ['upgrade that failed', { ...before, failedUpgrade: { version: '3.7.3', generation: 1, message: 'crashed' } }],
    ['restore that may go on', { ...before, restore: { name: 'example', uid: 'u' } }],
  ])('at once if a user or a program may act upon it: %s', (_what, after) => {
    expect(reportDue(before, after, 1)).toBe(0);
  });

  test('at once if there has been none', () => {
    expect(reportDue(undefined, before, 0)).toBe(0);
  });

  test.each<[string, EtcdClusterStatus]>([
    ['what the operator is waiting for', { ...before, plan: { next: ['c joins'], waitingFor: [] } }],
    ['members', { ...before, size: 2, readySize: 2, members: { ready: ['a'] } }],
    ['words of a condition', withCondition({ message: 'still starting', lastUpdateTime: '2026-01-01T00:00:01Z' })],
  ])('once a second at most if it is a detail: %s', (_what, after) => {
    expect(reportDue(before, after, 100)).toBe(900);
    expect(reportDue(before, after, 1_000)).toBe(0);
    expect(reportDue(before, after, 60_000)).toBe(0);
  });

  test('figures alone with each reading of a cluster at rest, as soon as they have moved at all', () => {
    const moved = (revision: number) => ({
      ...before,
      memberDetails: before.memberDetails?.map((detail) => ({ ...detail, revision })) ?? [],
    });
    expect(reportDue(before, moved(101), 4_000)).toBe(1_000);
    expect(reportDue(before, moved(101), 10_000)).toBe(0);
    expect(reportDue(before, moved(100), 10_000)).toBeUndefined();
  });
});
