// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../../desired.ts';
import type { MemberPod } from '../../observation.ts';
import type { Assessment, MemberView } from '../assessment.ts';

/** Fields that differ from the spec and that only a new pod can have (operator rule 7). */
export function fieldsOfNewPod({ drift }: MemberPod): readonly string[] {
  return drift.filter((item) => item.remedy === 'replace').map((item) => item.field);
}

/** True if the spec asks for another kind of storage; a new pod on the same volume cannot change that. */
export function hasOtherStorage(pod: MemberPod, { storage }: Desired): boolean {
  return pod.data !== storage;
}

/**
 * True if the pod of the member differs from a pod that would be created now. Such a member is removed first, and becomes the leader only
 * if no other member can.
 */
export function differsFromSpec({ desired }: Assessment, { pod }: MemberView): boolean {
  if (!pod) return true;
  return pod.adopted || pod.image !== desired.image || fieldsOfNewPod(pod).length > 0 || hasOtherStorage(pod, desired);
}
