// SPDX-License-Identifier: Apache-2.0
/** The vitest project, and the area of the long tier, that runs lab tests against a real control plane. */
export const realControlPlane = 'real-control-plane';

/**
 * The lab tests that also run on a real kube-apiserver, kube-controller-manager and kube-scheduler, while the lab's nodes run the pods:
 * together they cause every fault that docs/rules/faults.md marks.
 */
export const onRealControlPlane: readonly string[] = [
  'apps/operator/src/backup/act/killed.lab.test.ts',
  'apps/operator/src/backup/act/member/cut-stream.lab.test.ts',
  'apps/operator/src/cluster/act/lost-lease.lab.test.ts',
  'apps/operator/src/cluster/faults/api-server.lab.test.ts',
  'apps/operator/src/cluster/faults/bootstrap.lab.test.ts',
  'apps/operator/src/cluster/faults/deletion.lab.test.ts',
  'apps/operator/src/cluster/faults/membership.lab.test.ts',
  'apps/operator/src/cluster/faults/pods.lab.test.ts',
  'apps/operator/src/cluster/faults/quorum.lab.test.ts',
  'apps/operator/src/cluster/lifecycle.lab.test.ts',
  'apps/operator/src/cluster/plan/bootstrap/faults.lab.test.ts',
  'apps/operator/src/cluster/plan/healing/alarms.lab.test.ts',
  'apps/operator/src/cluster/plan/healing/dead-members.lab.test.ts',
  'apps/operator/src/cluster/plan/healing/nodes.lab.test.ts',
  'apps/operator/src/cluster/plan/quorum/recovery.lab.test.ts',
  'apps/operator/src/cluster/plan/rolling/upgrade.lab.test.ts',
  'apps/operator/src/cluster/plan/services/hand-edits.lab.test.ts',
  'apps/operator/src/cluster/secrets/tls-rotation.lab.test.ts',
  'apps/operator/src/restore/refused.lab.test.ts',
  'apps/operator/src/restore/restore.lab.test.ts',
];
