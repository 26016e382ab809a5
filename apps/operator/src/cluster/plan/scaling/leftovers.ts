// SPDX-License-Identifier: Apache-2.0
import type { ImageCheck, MemberPod, MemberVolume } from '../../observation.ts';
import type { Assessment } from '../assessment.ts';
import { isOnLostNode } from '../quorum/lost-node.ts';
import type { PlannedStep } from '../step.ts';

/**
 * Deletes pods and volumes of members that etcd no longer lists, and image checks that are no longer needed. Kubernetes was read before
 * etcd, and a member is added before its volume and pod are created, so these objects can only belong to removed members.
 */
export function leftovers(assessment: Assessment): PlannedStep[] {
  if (!assessment.membershipKnown) return [];
  return [...leftoverPods(assessment), ...leftoverVolumes(assessment), ...usedImageChecks(assessment)];
}

/** True if the pod or volume belongs to no listed member: no member has its name, or the member with its name has another ID than the pod or volume records. */
export function isLeftover({ members }: Assessment, { name, memberId }: MemberPod | MemberVolume): boolean {
  return !members.some((view) => view.name === name && (memberId === '' || memberId === view.member.id));
}

function leftoverPods(assessment: Assessment): readonly PlannedStep[] {
  return [...assessment.pods.values()]
    .filter((pod) => isLeftover(assessment, pod))
    .flatMap((pod): PlannedStep[] => {
      const force = isOnLostNode(assessment, pod);
      if (pod.terminating && !force) return [];
      return [
        {
          step: { do: 'deletePod', name: pod.name, uid: pod.uid, force, holdsData: pod.data !== 'claim' },
          reason: `Deleting pod/${pod.name}: its member is no longer in the cluster.`,
        },
      ];
    });
}

/**
 * Deletes volumes only when all voters are healthy, because a volume may be needed until the new member is healthy (operator rule 25). A
 * volume that blocks a listed member is deleted earlier.
 */
function leftoverVolumes(assessment: Assessment): readonly PlannedStep[] {
  const { volumes, pods } = assessment;
  return [...volumes.values()]
    .filter((volume) => isLeftover(assessment, volume) && !volume.terminating && !pods.has(volume.name))
    .filter((volume) => isComplete(assessment) || blocksJoin(assessment, volume))
    .map((volume) => ({
      step: { do: 'deleteVolume', name: volume.name, uid: volume.uid },
      reason: `Deleting pvc/${volume.name}: its member is no longer in the cluster.`,
    }));
}

/** True if there are as many voters as the spec asks for, and all of them are healthy. */
export function isComplete({ own, desired }: Assessment): boolean {
  const voting = own.filter((view) => !view.member.isLearner);
  return voting.length >= desired.size && voting.every((view) => view.health.kind === 'healthy');
}

/**
 * True if a member of the same name was added again, and cannot start on the old volume. If this member is a learner and the volume has
 * data, the result is false: the data may still be needed, and a learner can join under another name.
 */
export function blocksJoin({ members }: Assessment, { name, memberId }: MemberVolume): boolean {
  return members.some(
    (view) => view.name === name && view.health.kind === 'unstarted' && (memberId === '' || !view.member.isLearner),
  );
}

function usedImageChecks({ observation, pods, desired, now }: Assessment): readonly PlannedStep[] {
  const stillRolling = [...pods.values()].some((pod) => pod.image !== desired.image);
  const isOfUse = (check: ImageCheck) => check.image === desired.image && stillRolling;
  const mayTryAgain = (check: ImageCheck) => check.result === 'failed' && now - check.seenSince > tryAgainAfter;
  return observation.imageChecks
    .filter((check) => check.result !== 'pending' && (!isOfUse(check) || mayTryAgain(check)))
    .map((check) => ({
      step: { do: 'deleteImageCheck', name: check.name, uid: check.uid },
      reason: isOfUse(check)
        ? `Deleting the pod that tested the image on node ${check.node}, so that the test is repeated: it failed (${check.detail.slice(0, 200)}).`
        : `Deleting the pod that tested the image on node ${check.node}: the pod is no longer needed.`,
    }));
}

/** How long a failed image check is kept, in milliseconds. Afterwards the check is repeated, because the registry may work again. */
const tryAgainAfter = 300_000;
