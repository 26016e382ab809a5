// SPDX-License-Identifier: Apache-2.0
import { objectionsTo } from '../../safety/gate.ts';
import type { RestoreObservation, TargetFacts } from '../observation.ts';
import { keepVolumes, keptVolumes } from './old-volumes.ts';
import { take, wait } from './proposal.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';

/**
 * The new life has its identity, and the etcd-operator brings it to its size. Only when it is available there, the members
 * of the old life go; their volumes are kept. Pods on a node that is gone stay until somebody says that it is: they have been
 * told to go, nothing leads to them, and the restore does not wait for that.
 */
export function grow(seen: RestoreObservation, target: TargetFacts, now: number): RestorePlan {
  const { restore, pods, hasSecret } = seen;
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
  if (oldPods.length > 0) {
    const reason = 'the restored cluster is available: the members of its life before go';
    const steps = oldPods
      .filter((pod) => !pod.terminating && isDeletable(target))
      .map(({ name, uid }) => ({ step: { do: 'deletePod', name, uid } as const, reason }));
    return { ...take('CleaningUp', [...secret, ...steps], 'old members end'), lookAgainAfter: 1_000 };
  }
  const kept = keepVolumes(seen, incarnation);
  if (kept.length > 0) return take('CleaningUp', [...secret, ...kept]);
  if (hasSecret) return take('CleaningUp', secret);
  return { steps: [], report: { phase: 'Succeeded', reason: '', oldVolumes: keptVolumes(seen) }, lookAgainAfter: 0 };
}

function isDeletable({ isAvailable }: TargetFacts): boolean {
  return objectionsTo('deleteOldPod', { isReplaced: isAvailable, isStartedForSnapshot: false }).length === 0;
}
