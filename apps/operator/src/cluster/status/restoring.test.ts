// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { EtcdClusterStatus } from '../../api/etcd-cluster.ts';
import { planCluster } from '../plan/plan.ts';
import { type Change, cluster, healthy, nothing, now, see } from '../plan/testing/situations/vocabulary.ts';
import { statusOf } from './status.ts';

const marked = cluster((facts) => ({
  ...facts,
  restore: { name: 'r', uid: 'r1' },
  recordedInAnnotation: { clusterId: '', incarnation: 2 },
}));

function report(given: readonly Change[], previous?: EtcdClusterStatus): EtcdClusterStatus {
  const observation = given.reduce((seen, change) => change(seen), nothing());
  return statusOf(previous, observation, planCluster(observation, now), '2026-11-15T12:00:00Z');
}

describe('a cluster that an EtcdRestore has marked', () => {
  test('operator rule 4: says that reconciliation is suspended, and the cluster is not available meanwhile', () => {
    const status = report([healthy(3), marked]);
    expect(status.restore).toEqual({ name: 'r', uid: 'r1' });
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Available', status: 'False', reason: 'Restoring' }),
    );
  });

  test('shows its members as those of the previous incarnation, not as healthy beside "0 ready"', () => {
    const status = report([healthy(3), marked], report([healthy(3)]));
    expect(status.readySize).toBe(0);
    const rows = status.memberDetails?.map(({ healthy: isWell, reason }) => [isWell, reason]);
    expect(rows).toEqual(
      Array.from({ length: 3 }, () => [
        false,
        'member of the cluster from before the restore; the restore replaces this member',
      ]),
    );
    // A restore must not fall behind the last revision of these members.
    expect(status.memberDetails?.[0]?.revision).toBe(100);
  });

  test('does not say so while a CoreOS etcd-operator is at work', () => {
    expect(report([healthy(3), marked, see({ coreosOperator: 'old-pod' })])).not.toHaveProperty('restore');
  });

  test('no longer says so when the mark is gone', () => {
    const before = report([healthy(3), marked]);
    expect(report([healthy(3)], before)).not.toHaveProperty('restore');
  });
});
