// SPDX-License-Identifier: Apache-2.0
import type { ImageCheck, MemberPod, MemberVolume } from '../../observation.ts';
import type { Assessment } from '../assessment.ts';
import { isOnLostNode } from '../quorum/lost-node.ts';
import type { PlannedStep } from '../step.ts';

/**
 * Pods and volumes of members that etcd no longer lists, and image checks that have served. Kubernetes was read before etcd,
 * and a member is added before its volume and pod are made, so these can only belong to removed members.
 */
export function leftovers(assessment: Assessment): PlannedStep[] {
  if (!assessment.membershipKnown) return [];
  return [...leftoverPods(assessment), ...leftoverVolumes(assessment), ...usedImageChecks(assessment)];
}

/** True if no listed member claims it: none has its name, or the one that has is another member than the one on record. */
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

/** Data is deleted only when no member is left to be replaced: the replacement must be healthy first (operator rule 25). */
function leftoverVolumes(assessment: Assessment): readonly PlannedStep[] {
  const { volumes, pods } = assessment;
  return [...volumes.values()]
    .filter((volume) => isLeftover(assessment, volume) && !volume.terminating && !pods.has(volume.name))
    .filter((volume) => isComplete(assessment) || standsInTheWay(assessment, volume))
    .map((volume) => ({
      step: { do: 'deleteVolume', name: volume.name, uid: volume.uid },
      reason: `Deleting pvc/${volume.name}: its member is no longer in the cluster.`,
    }));
}

/** True if as many voters as asked for are there, and all of them are healthy. */
export function isComplete({ own, desired }: Assessment): boolean {
  const voting = own.filter((view) => !view.member.isLearner);
  return voting.length >= desired.size && voting.every((view) => view.health.kind === 'healthy');
}

/**
 * A member of the same name was added again and cannot start on what its namesake left behind. A learner joins under another name
 * instead, where that may still be needed.
 */
export function standsInTheWay({ members }: Assessment, { name, memberId }: MemberVolume): boolean {
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
        ? `Repeating the image check on node ${check.node}: it failed (${check.detail.slice(0, 200)}).`
        : `Deleting the image check on node ${check.node}: it is no longer needed.`,
    }));
}

/** A registry may be mended without the spec being touched. */
const tryAgainAfter = 300_000;
