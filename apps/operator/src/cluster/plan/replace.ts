// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from './assessment.ts';
import { alarmsOf, holdStop } from './disruption.ts';
import { fieldsOfNewPod, hasOtherStorage } from './drift.ts';
import { moveLeadershipFrom } from './leadership.ts';
import { type Proposal, take, takeAll } from './proposal.ts';
import { whyUpgradeIsHeld } from './upgrade-path.ts';

/**
 * Spec changes other than size and version, by class (operator rule 7): in place where Kubernetes allows it; a new pod on the
 * same volume where there is one; without a volume only when asked for, as a surge that adds before it removes.
 *
 * Assumes that all members are healthy voters of the right version.
 */
export function applyDrift(assessment: Assessment): Proposal | undefined {
  return inPlace(assessment) ?? recreateNext(assessment);
}

function inPlace({ own }: Assessment): Proposal | undefined {
  return takeAll(
    own.flatMap(({ pod, name }) => {
      if (!pod || pod.terminating) return [];
      const fields = pod.drift.filter((item) => item.remedy === 'inPlace').map((item) => item.field);
      const update = {
        step: { do: 'updatePod', name, uid: pod.uid, fields },
        reason: `${name} follows the spec: ${fields.join(', ')}`,
      } as const;
      const resize = {
        step: { do: 'resizePod', name, uid: pod.uid },
        reason: `${name} gets the resources of the spec without a restart`,
      } as const;
      return [
        ...(fields.length > 0 ? [update] : []),
        ...(pod.drift.some((item) => item.remedy === 'resize') ? [resize] : []),
      ];
    }),
  );
}

function recreateNext(assessment: Assessment): Proposal | undefined {
  const outdated = assessment.voters.filter(
    (view) => view.pod?.data === 'claim' && !view.pod.adopted && fieldsOfNewPod(view.pod).length > 0 && !isDoomed(view),
  );
  const view = outdated.find((candidate) => candidate !== assessment.leader) ?? outdated[0];
  if (!view?.pod) return undefined;
  const fields = fieldsOfNewPod(view.pod).join(', ');
  return recreateOnVolume(assessment, view, `to follow the spec (${fields}), ${outdated.length - 1} to follow`);
}

/** Deletes the pod of a healthy voter that has a volume: it comes back as itself, with a pod of today's making. */
export function recreateOnVolume(assessment: Assessment, view: MemberView, why: string): Proposal | undefined {
  if (!view.pod || isDoomed(view)) return undefined;
  return (
    holdStop(assessment, view) ??
    (assessment.voters.length > 1 ? moveLeadershipFrom(assessment, view, 'gets a new pod') : undefined) ??
    take(
      { do: 'deletePod', name: view.name, uid: view.pod.uid, force: false },
      `${view.name} gets a new pod on its volume ${why}`,
    )
  );
}

/** Members that can follow the spec only by being replaced with an empty one that resyncs everything. */
export function needSurge(assessment: Assessment): readonly MemberView[] {
  if (alarmsOf(assessment).length > 0) return [];
  const { voters, desired } = assessment;
  // A pod of the original operator cannot take a new image in place (operator rule 8): a version change replaces it.
  const converts = voters.some(({ pod }) => isConverted(pod, desired.image)) && !whyUpgradeIsHeld(assessment);
  return voters.filter((view) => {
    if (isDoomed(view)) return true;
    if (converts && isConverted(view.pod, desired.image)) return true;
    return desired.updatePolicy === 'Replace' && needsFreshMember(assessment, view);
  });
}

/** Its claim was deleted under it: its data lasts as long as its pod, so that it moves to a fresh member while it can. */
function isDoomed({ pod, volume }: MemberView): boolean {
  return pod?.data === 'claim' && volume?.terminating === true;
}

function isConverted(pod: MemberView['pod'], image: string): boolean {
  return pod?.adopted === true && pod.data !== 'claim' && pod.image !== image;
}

/** Members that differ from the spec and stay as they are until they are replaced for another reason. */
export function heldBack(assessment: Assessment): readonly MemberView[] {
  if (assessment.desired.updatePolicy === 'Replace') return [];
  return assessment.voters.filter((view) => needsFreshMember(assessment, view));
}

function needsFreshMember({ desired }: Assessment, { pod }: MemberView): boolean {
  if (!pod) return false;
  return hasOtherStorage(pod, desired) || (pod.data !== 'claim' && fieldsOfNewPod(pod).length > 0);
}
