// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../observation.ts';
import type { Assessment } from '../assessment.ts';

/**
 * True if the node of the pod is deleted or out of service. Its processes cannot come back and run at the same time as their replacements
 * (operator rule 25).
 */
export function isOnLostNode({ observation }: Pick<Assessment, 'observation'>, { node }: MemberPod): boolean {
  const facts = observation.nodes.get(node);
  return facts !== undefined && (!facts.exists || facts.outOfService);
}
