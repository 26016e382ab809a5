// SPDX-License-Identifier: Apache-2.0
/** Minors of etcd that run lab tests once more; all of the lab runs with 3.6. */
export const otherEtcds = ['3.5', '3.7'] as const;

/** The vitest project, and the area of the long tier, that runs lab tests with another etcd. */
export const projectOn = (minor: (typeof otherEtcds)[number]) => `on-etcd-${minor}`;

/**
 * The lab tests that also run with these: together they bring data back in every way there is. What compares several versions by itself is
 * not among them.
 */
export const onOtherEtcds: readonly string[] = [
  'apps/kubectl-etcd/src/browse/browse.lab.test.ts',
  'apps/kubectl-etcd/src/recover.lab.test.ts',
  'apps/operator/src/backup/continuous/continuous.lab.test.ts',
  'apps/operator/src/backup/continuous/failover.lab.test.ts',
  'apps/operator/src/backup/prove/prove.lab.test.ts',
  'apps/operator/src/cluster/plan/quorum/recovery.lab.test.ts',
  'apps/operator/src/restore/clone.lab.test.ts',
  'apps/operator/src/restore/point-in-time.lab.test.ts',
  'apps/operator/src/restore/stale-snapshot.lab.test.ts',
  'apps/operator/src/restore/survivor-held.lab.test.ts',
  'apps/operator/src/restore/survivor-lost.lab.test.ts',
  'apps/operator/src/restore/survivor.lab.test.ts',
  'apps/operator/src/restore/unsaved.lab.test.ts',
];
