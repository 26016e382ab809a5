// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../observation.ts';
import type { Assessment } from '../assessment.ts';

/** True if the node is deleted or out of service: its processes cannot return beside their replacements (operator rule 25). */
export function isOnLostNode({ observation }: Pick<Assessment, 'observation'>, { node }: MemberPod): boolean {
  const facts = observation.nodes.get(node);
  return facts !== undefined && (!facts.exists || facts.outOfService);
}
