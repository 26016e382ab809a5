// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../../desired.ts';
import type { MemberPod } from '../../observation.ts';
import type { Assessment, MemberView } from '../assessment.ts';
import { slowStart } from '../member-health.ts';
import { type Proposal, take } from '../proposal.ts';
import { isKnownBad, mayTakeWantedImage, releaseForNewMember } from '../rolling/member-release.ts';
import { wantedImage } from '../rolling/set-image.ts';

/** Reasons for waiting that do not disappear soon without a change. */
const fatalWaits: readonly string[] = [
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CrashLoopBackOff',
  'CreateContainerError',
  'CreateContainerConfigError',
  'RunContainerError',
];

/**
 * Fields in which a pod differs from a pod that would be created now, and that cannot be changed on a running pod; empty if there are none.
 */
export function outdatedFields(pod: MemberPod, image: string, storage: Desired['storage']): readonly string[] {
  const drift = pod.drift.filter((item) => item.remedy === 'replace');
  return [
    ...(pod.image === image ? [] : ['image']),
    ...(pod.data === storage ? [] : ['storage']),
    ...drift.map((item) => item.field),
  ];
}

/** True if no process of the pod has ever run, so that it holds no data of its own. */
export function hasNeverRun({ container }: MemberPod): boolean {
  const { state, startedAt, restarts, lastExit } = container;
  return state === 'waiting' && startedAt === 0 && restarts === 0 && lastExit === undefined;
}

/** True if no process runs in the pod now. */
export function isIdle({ container }: MemberPod): boolean {
  return container.state !== 'running' && container.startedAt === 0;
}

/**
 * True if a new image was tried and does not work. Kubernetes may still report the state of the previous image (operator rule 19). So the
 * container must be a new container, or the message must not name the previous image.
 */
export function hasFailedImage(pod: MemberPod, now: number, unreachableSince: number): boolean {
  const { state, reason, message, id, runningSince } = pod.container;
  const isNewContainer = id !== pod.previousContainer;
  if (state === 'running') return isNewContainer && now - Math.max(runningSince, unreachableSince) > slowStart;
  if (state !== 'waiting' || !fatalWaits.includes(reason)) return false;
  if (reason === 'CrashLoopBackOff') return isNewContainer;
  return pod.previousImage === '' || !message.includes(pod.previousImage);
}

/** True if the pod will not start until something is changed. */
export function isStuck(pod: MemberPod): boolean {
  const { state, reason } = pod.container;
  if (pod.node === '') return reason === 'Unschedulable';
  return state === 'waiting' && fatalWaits.includes(reason);
}

/**
 * Applies a corrected spec to a member whose process does not run. This is done at once, because it stops no running member (checklist 54,
 * 66). A pod is recreated if it has no data or has its data on a volume. A pod that would lose its data gets the new image in place.
 */
export function correctIdleMember(assessment: Assessment, view: MemberView): Proposal | undefined {
  const { desired } = assessment;
  const { pod, member, answer } = view;
  if (!pod || pod.terminating || answer?.kind === 'status' || !isIdle(pod)) return undefined;
  if (member.name === '') {
    const fields = outdatedFields(pod, releaseForNewMember(assessment).image, desired.storage);
    return fields.length > 0 ? recreatePod(pod, fields) : undefined;
  }
  const fields = outdatedFields(pod, pod.image, pod.data);
  if (fields.length > 0 && pod.data === 'claim' && !view.volume?.terminating) return recreatePod(pod, fields);
  return takeWantedImage(assessment, pod);
}

/** Deletes a pod so that it is recreated; with `resourceVersion`, only if it has not changed since the observation. */
export function recreatePod(pod: MemberPod, fields: readonly string[], resourceVersion?: string): Proposal {
  return take(
    {
      do: 'deletePod',
      name: pod.name,
      uid: pod.uid,
      force: false,
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    `Recreating pod/${pod.name}, which does not run: the spec has changed since it was created (${fields.join(', ')}).`,
  );
}

/** Sets the wanted image on a pod that is stuck. Nothing can be lost: its container does not run, and its data stays. */
export function takeWantedImage(
  assessment: Pick<Assessment, 'observation' | 'desired'>,
  pod: MemberPod,
): Proposal | undefined {
  const { desired } = assessment;
  if (pod.image === desired.image || !mayTakeWantedImage(pod, desired) || isKnownBad(assessment)) return undefined;
  if (!isStuck(pod)) return undefined;
  return take(
    wantedImage(pod, desired),
    `Setting the image of pod/${pod.name} to ${desired.image}: it does not run with ${pod.image} (${pod.container.reason}).`,
  );
}
