// SPDX-License-Identifier: Apache-2.0
import { objectionsTo } from '../../safety/gate.ts';
import type { RestoreObservation, TargetFacts } from '../observation.ts';
import { keepVolumes, keptVolumes } from './old-volumes.ts';
import { take, wait } from './proposal.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';
import { dropHolder } from './survivor/hold.ts';

/**
 * The new incarnation has its cluster ID, and the etcd-operator adds the other members. The pods of the previous incarnation are deleted
 * only when the cluster is available at its full size; their volumes are kept. The restore does not wait for pods on a lost node: they have
 * been deleted in the API server and are not endpoints of any Service.
 */
export function grow(seen: RestoreObservation, target: TargetFacts, now: number): RestorePlan {
  const plan = nextOf(seen, target, now);
  const { incarnation, clusterId } = target;
  // Incarnation and cluster ID are reported again: the operator may have been killed after it wrote them to the EtcdCluster, but before it
  // wrote them to the status of the EtcdRestore.
  return { ...plan, report: plan.report && { ...plan.report, incarnation, clusterId } };
}

function nextOf(seen: RestoreObservation, target: TargetFacts, now: number): RestorePlan {
  const { restore, pods, hasSecret } = seen;
  const { incarnation } = target;
  // These pods and Secrets would count against quotas that the new members need.
  const leftovers: PlannedRestoreStep[] = [...dropHolder(seen, 'succeeded')];
  if (hasSecret)
    leftovers.push({
      step: { do: 'deleteSecret' },
      reason: 'deleting the Secret for the snapshot transfer: the snapshot was delivered',
    });
  if (!target.isAvailable && restore.deleting && now - restore.startedAt > restore.timeout) {
    // Members may be lost again before the cluster is available. The EtcdRestore was deleted, so it stops waiting: another restore
    // may follow, and the pods and volumes of the previous incarnation are kept for it.
    const unmark = { step: { do: 'unmark', back: undefined }, reason: 'the EtcdRestore was deleted' } as const;
    return take('Growing', [...leftovers, unmark], target.waitingFor);
  }
  if (!target.isAvailable) {
    return { ...wait('Growing', target.waitingFor, 1_000), steps: leftovers };
  }
  const oldPods = pods.filter((pod) => pod.incarnation < incarnation && !pod.overdue);
  if (oldPods.length > 0) {
    const reason = 'the restored cluster is available: deleting the pods of the members from before the restore';
    const steps = oldPods
      .filter((pod) => !pod.terminating && isDeletable(target))
      .map(({ name, uid }) => ({ step: { do: 'deletePod', name, uid } as const, reason }));
    return {
      ...take(
        'CleaningUp',
        [...leftovers, ...steps],
        'waiting for the pods of the members from before the restore to stop',
      ),
      requeueAfter: 1_000,
    };
  }
  const kept = keepVolumes(seen, incarnation);
  if (kept.length > 0) return take('CleaningUp', [...leftovers, ...kept]);
  if (leftovers.length > 0) return take('CleaningUp', leftovers);
  return { steps: [], report: { phase: 'Succeeded', reason: '', oldVolumes: keptVolumes(seen) }, requeueAfter: 0 };
}

function isDeletable({ isAvailable }: TargetFacts): boolean {
  return objectionsTo('deleteOldPod', { isReplaced: isAvailable, isStartedForSnapshot: false }).length === 0;
}
