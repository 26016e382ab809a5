// SPDX-License-Identifier: Apache-2.0
import { seedName } from '../../identity/member-naming.ts';
import type { ClusterPod, RestoreObservation, TargetFacts } from '../observation.ts';
import { isRaised } from './phase.ts';
import { finish, take, wait } from './proposal.ts';
import { stopSteps } from './save.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';

/**
 * Rolls back all changes. The new seed and its volume are deleted first. Then the old members become Service endpoints again. The restore
 * annotation is removed last, and the etcd-operator then manages the previous incarnation again.
 */
export function rollBack(seen: RestoreObservation, failure: string, target: TargetFacts | undefined): RestorePlan {
  if (!target) return over(seen, failure);
  const removal = isRaised(target) ? removeSeed(seen, failure, target) : undefined;
  return removal ?? returnToPreviousIncarnation(seen, failure, target);
}

function removeSeed(
  { restore, pods, seed, volumes, hasSecret }: RestoreObservation,
  failure: string,
  { uid, incarnation }: TargetFacts,
): RestorePlan | undefined {
  const steps: PlannedRestoreStep[] = [];
  const name = seedName(restore.clusterName, uid, incarnation);
  if (hasSecret) steps.push({ step: { do: 'deleteSecret' }, reason: failure });
  if (seed && !seed.terminating)
    steps.push({
      // The pod is deleted only if it has not changed: another process of the operator may be recording the pod's cluster ID, and then the
      // pod must stay.
      step: { do: 'deletePod', name: seed.name, uid: seed.uid, resourceVersion: seed.resourceVersion },
      reason: failure,
    });
  // A pod on a lost node may never end. It has no cluster ID and will not get one, so the old members must not wait for it.
  const isAwaited = seed && !pods.some((pod) => pod.uid === seed.uid && pod.overdue);
  if (isAwaited) return { ...take('RollingBack', steps, failure), requeueAfter: 500 };
  const volume = volumes.find((item) => item.name === name && item.incarnation === incarnation && !item.overdue);
  if (volume && !volume.terminating)
    steps.push({ step: { do: 'deleteVolume', name: volume.name, uid: volume.uid }, reason: failure });
  if (volume || steps.length > 0) return { ...take('RollingBack', steps, failure), requeueAfter: 500 };
  return undefined;
}

function returnToPreviousIncarnation(
  { pods, restore }: RestoreObservation,
  failure: string,
  target: TargetFacts,
): RestorePlan {
  const { marker, uid } = target;
  const { from } = marker ?? {};
  if (!from) {
    if (target.deleting) return wait('RollingBack', failure, 500);
    return take('RollingBack', [{ step: { do: 'deleteCluster', uid }, reason: failure }], failure);
  }
  const isOurs = (pod: ClusterPod) => pod.startedBy === restore.uid;
  const isolated = pods.filter(
    (pod) => pod.incarnation === from.incarnation && pod.isolated && !pod.terminating && !isOurs(pod),
  );
  const steps: PlannedRestoreStep[] = [
    ...stopSteps(pods.filter(isOurs), failure),
    ...isolated.map(({ name, uid: podUid }) => ({
      step: { do: 'unisolatePod', name, uid: podUid } as const,
      reason: failure,
    })),
  ];
  steps.push({ step: { do: 'unmark', back: from }, reason: failure });
  return take('RollingBack', steps, failure);
}

function over({ hasSecret }: RestoreObservation, failure: string): RestorePlan {
  if (hasSecret) return take('RollingBack', [{ step: { do: 'deleteSecret' }, reason: failure }], failure);
  return finish('Failed', failure);
}
