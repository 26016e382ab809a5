// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../../desired.ts';
import type { MemberPod } from '../../observation.ts';
import type { Release, Step } from '../step.ts';
import { rollbackTargetOf } from './member-release.ts';

type SetImage = Extract<Step, { do: 'setImage' }>;

/** Sets the image of the spec in place. If this image does not work, the pod is rolled back to the last confirmed image. */
export function wantedImage(pod: MemberPod, desired: Desired, snapshotCount = pod.snapshotCount): SetImage {
  const rollbackTo = rollbackTargetOf(pod);
  return {
    ...replacing(pod, { version: desired.version, image: desired.image }),
    rollbackTo: rollbackTo.image === desired.image ? undefined : rollbackTo,
    snapshotCount,
    because: 'asked',
  };
}

/** Sets the previous image in place, because the present one does not work. */
export function rollbackImage(pod: MemberPod): SetImage {
  return {
    ...replacing(pod, { version: pod.previousVersion, image: pod.previousImage }),
    rollbackTo: undefined,
    snapshotCount: pod.snapshotCount,
    because: 'failed',
  };
}

/** Names the observed pod and container exactly, so that no other pod is changed. */
function replacing(pod: MemberPod, { version, image }: Release) {
  return {
    do: 'setImage',
    pod: pod.name,
    uid: pod.uid,
    resourceVersion: pod.resourceVersion,
    from: pod.version,
    version,
    image,
    container: pod.container.id,
    onVolume: pod.data === 'claim',
  } as const;
}
