// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../observation.ts';
import type { Assessment } from '../assessment.ts';

/** Gone for good, or declared so: a process there cannot come back to life beside its successor (operator rule 25). */
export function isOnLostNode({ observation }: Pick<Assessment, 'observation'>, { node }: MemberPod): boolean {
  const facts = observation.nodes.get(node);
  return facts !== undefined && (!facts.exists || facts.outOfService);
}
