// SPDX-License-Identifier: Apache-2.0
import type { RestoreObservation, TargetFacts } from '../observation.ts';
import { finish, take, wait } from './proposal.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';

/**
 * The new life has its identity, and the etcd-operator brings it to its size. Only when it is available there, the members
 * of the old life go, and after them their volumes. Those on a node that is gone stay until somebody says that it is: they have
 * been told to go, nothing leads to them, and the restore does not wait for that.
 */
export function grow(seen: RestoreObservation, target: TargetFacts, now: number): RestorePlan {
  const { restore, pods, volumes, hasSecret } = seen;
  const { incarnation } = target;
  const secret: PlannedRestoreStep[] = hasSecret
    ? [{ step: { do: 'deleteSecret' }, reason: 'the data has been delivered' }]
    : [];
  if (!target.isAvailable && restore.deleting && now - restore.startedAt > restore.timeout) {
    // Members may be lost again before it is available. Nobody waits any more: another restore may come, and what is left of
    // the life before is kept for it.
    const unmark = { step: { do: 'unmark', back: undefined }, reason: 'the EtcdRestore was deleted' } as const;
    return take('Growing', [...secret, unmark], target.waitingFor);
  }
  if (!target.isAvailable) {
    return { ...wait('Growing', target.waitingFor, 1_000), steps: secret };
  }
  const oldPods = pods.filter((pod) => pod.incarnation < incarnation && !pod.overdue);
  const oldVolumes = volumes.filter((volume) => volume.incarnation < incarnation && !volume.overdue);
  if (oldPods.length > 0) {
    const reason = 'the restored cluster is available: the members of its life before go';
    const steps = oldPods
      .filter((pod) => !pod.terminating)
      .map(({ name, uid }) => ({ step: { do: 'deletePod', name, uid } as const, reason }));
    return { ...take('CleaningUp', [...secret, ...steps], 'old members end'), lookAgainAfter: 1_000 };
  }
  if (oldVolumes.length > 0) {
    const reason = 'the restored cluster is available: the volumes of its life before go';
    const steps = oldVolumes
      .filter((volume) => !volume.terminating)
      .map(({ name, uid }) => ({ step: { do: 'deleteVolume', name, uid } as const, reason }));
    return { ...take('CleaningUp', [...secret, ...steps], 'old volumes end'), lookAgainAfter: 1_000 };
  }
  return hasSecret ? take('CleaningUp', secret) : finish('Succeeded', '');
}
