// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../../desired.ts';
import type { MemberPod } from '../../observation.ts';
import type { Assessment, MemberView } from '../assessment.ts';

/** Fields a living pod cannot follow: only a new one can (operator rule 7). */
export function fieldsOfNewPod({ drift }: MemberPod): readonly string[] {
  return drift.filter((item) => item.remedy === 'replace').map((item) => item.field);
}

/** True if the data should live elsewhere: no new pod on the same volume can cure that. */
export function hasOtherStorage(pod: MemberPod, { storage }: Desired): boolean {
  return pod.data !== storage;
}

/** True if the member's pod is not what would be made today. Such members go first, and lead last. */
export function differsFromSpec({ desired }: Assessment, { pod }: MemberView): boolean {
  if (!pod) return true;
  return pod.adopted || pod.image !== desired.image || fieldsOfNewPod(pod).length > 0 || hasOtherStorage(pod, desired);
}
