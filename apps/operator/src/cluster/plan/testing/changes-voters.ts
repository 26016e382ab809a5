// SPDX-License-Identifier: Apache-2.0
import type { Step } from '../step.ts';

/** True for steps that change the set of voters; at most one of these is in flight. */
export function changesVoters(step: Step): boolean {
  return step.do === 'promote' || step.do === 'removeMember' || (step.do === 'joinMember' && !step.learner);
}
