// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from '../assessment.ts';
import { later, type Proposal, take, takeAll, waitFor } from '../proposal.ts';
import { alarmsOf, holdStop } from './disruption.ts';
import { fieldsOfNewPod, hasOtherStorage } from './drift.ts';
import { moveLeadershipFrom } from './leadership.ts';
import { podOnVolume } from './pod-on-volume.ts';
import { whyUpgradeIsHeld } from './upgrade-path.ts';

/**
 * Applies changes of the spec other than size and version (operator rule 7). A running pod is changed in place where Kubernetes allows it.
 * Otherwise a member with a volume gets a new pod on this volume. A member without a volume is replaced only if the spec asks for it; see
 * `membersToReplace`.
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
        reason: `Updating ${fields.join(' and ')} of pod/${name} to the spec.`,
      } as const;
      const resize = {
        step: { do: 'resizePod', name, uid: pod.uid },
        reason: `Resizing pod/${name} to spec.pod.resources without a restart.`,
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
    (view) =>
      view.pod?.data === 'claim' &&
      !view.pod.adopted &&
      fieldsOfNewPod(view.pod).length > 0 &&
      !isVolumeTerminating(view),
  );
  // Pods with a broken sidecar come first: clients do not reach them anyway, and the new pod may fix the sidecar.
  const broken = outdated.filter(({ pod }) => pod?.brokenSidecar !== undefined);
  const candidates = broken.length > 0 ? broken : outdated;
  const view = candidates.find((candidate) => candidate !== assessment.leader) ?? candidates[0];
  if (!view?.pod) return undefined;
  const held = holdForSidecar(assessment, view);
  if (held) return held;
  const fields = fieldsOfNewPod(view.pod).join(', ');
  return recreateOnVolume(assessment, view, `${fields} changed in the spec. Remaining pods: ${outdated.length - 1}`);
}

/** A pod with a broken sidecar is not a Service endpoint. So no other pod is recreated with the same sidecar. */
function holdForSidecar({ voters }: Assessment, view: MemberView): Proposal | undefined {
  const other = voters.find((voter) => voter !== view && voter.pod?.brokenSidecar !== undefined);
  if (!other || view.pod?.brokenSidecar !== undefined) return undefined;
  return waitFor(
    `Cannot recreate pod/${view.name} yet: pod/${other.name} is not Ready because of its container ${other.pod?.brokenSidecar}. Correct spec.pod.sidecars.`,
    later,
  );
}

/**
 * Deletes the pod of a healthy voter that has a volume. The same member returns with a new pod according to the present spec, which the API
 * server must accept.
 */
export function recreateOnVolume(assessment: Assessment, view: MemberView, why: string): Proposal | undefined {
  const { name, pod, volume, member } = view;
  if (!pod || !volume || volume.terminating) return undefined;
  const successor = podOnVolume(assessment, volume, member.id);
  return (
    holdStop(assessment, view) ??
    (assessment.voters.length > 1 ? moveLeadershipFrom(assessment, view, 'gets a new pod') : undefined) ??
    take(
      { do: 'deletePod', name, uid: pod.uid, force: false, successor },
      `Recreating pod/${name} on its volume: ${why}.`,
    )
  );
}

/** Members that can follow the spec only by being replaced with an empty member that receives all data again. */
export function membersToReplace(assessment: Assessment): readonly MemberView[] {
  if (alarmsOf(assessment).length > 0) return [];
  const { voters, desired } = assessment;
  // The image of a pod of CoreOS etcd-operator cannot be changed in place (operator rule 8): if the version changes, the member is
  // replaced.
  const converts = voters.some(({ pod }) => isConverted(pod, desired.image)) && !whyUpgradeIsHeld(assessment);
  const hasBrokenSidecar = voters.some(
    (view) => view.pod?.brokenSidecar !== undefined && !needsFreshMember(assessment, view),
  );
  return voters.filter((view) => {
    if (isVolumeTerminating(view)) return true;
    if (converts && isConverted(view.pod, desired.image)) return true;
    // The new members would have the same broken sidecar.
    if (hasBrokenSidecar) return false;
    return desired.updatePolicy === 'Replace' && needsFreshMember(assessment, view);
  });
}

/** True if the claim was deleted while the pod uses it. The data is lost when the pod ends, so the member is replaced while it still runs. */
function isVolumeTerminating({ pod, volume }: MemberView): boolean {
  return pod?.data === 'claim' && volume?.terminating === true;
}

function isConverted(pod: MemberView['pod'], image: string): boolean {
  return pod?.adopted === true && pod.data !== 'claim' && pod.image !== image;
}

/** Members that differ from the spec and stay as they are until they are replaced for another reason. */
export function notReplacedYet(assessment: Assessment): readonly MemberView[] {
  if (assessment.desired.updatePolicy === 'Replace') return [];
  return assessment.voters.filter((view) => needsFreshMember(assessment, view));
}

function needsFreshMember({ desired }: Assessment, { pod }: MemberView): boolean {
  if (!pod) return false;
  return hasOtherStorage(pod, desired) || (pod.data !== 'claim' && fieldsOfNewPod(pod).length > 0);
}
