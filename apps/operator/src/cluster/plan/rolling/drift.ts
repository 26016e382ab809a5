// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../../desired.ts';
import type { MemberPod } from '../../observation.ts';
import type { Assessment, MemberView } from '../assessment.ts';

/** Fields that cannot be changed on a running pod, only by a new one (operator rule 7). */
export function fieldsOfNewPod({ drift }: MemberPod): readonly string[] {
  return drift.filter((item) => item.remedy === 'replace').map((item) => item.field);
}

/** True if the spec asks for another kind of storage; a new pod on the same volume cannot change that. */
export function hasOtherStorage(pod: MemberPod, { storage }: Desired): boolean {
  return pod.data !== storage;
}

/** True if the member's pod is not the one that would be created now. Such members are replaced first, and get the leadership last. */
export function differsFromSpec({ desired }: Assessment, { pod }: MemberView): boolean {
  if (!pod) return true;
  return pod.adopted || pod.image !== desired.image || fieldsOfNewPod(pod).length > 0 || hasOtherStorage(pod, desired);
}
