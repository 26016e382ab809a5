// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from './assessment.ts';
import { type Proposal, take } from './proposal.ts';

/** How long somebody's learner may stay unstarted before it is taken out. */
const strangerLimit = 300_000;

/** Members that nobody here made. They are reported; only a learner that never started is ever removed (operator rule 29). */
export function strangersOf({ members }: Assessment): readonly MemberView[] {
  return members.filter((view) => view.health.kind === 'stranger');
}

export function removeOverdueStranger(assessment: Assessment): Proposal | undefined {
  const { now } = assessment;
  const overdue = unstarted(assessment).find(
    ({ member }) => member.isLearner && now - member.seenSince > strangerLimit,
  );
  if (!overdue) return undefined;
  const waited = Math.round((now - overdue.member.seenSince) / 1000);
  return take(
    { do: 'removeMember', memberId: overdue.member.id, name: overdue.name, because: 'dead' },
    `learner ${describeStranger(overdue)} was added by somebody else and has not started for ${waited} s`,
  );
}

/**
 * Why nobody can join now: a new member waits for every name in its list to resolve, and a stranger that has not started
 * may never get one (operator rule 9).
 */
export function strangerInTheWay(assessment: Assessment): string | undefined {
  const [first] = unstarted(assessment);
  return (
    first &&
    `member ${describeStranger(first)} was added by somebody else and has not started, so that no other can join; ` +
      'start it, or remove it with etcdctl member remove'
  );
}

function unstarted(assessment: Assessment): readonly MemberView[] {
  return strangersOf(assessment).filter(({ health }) => health.kind === 'stranger' && !health.hasStarted);
}

export function describeStranger({ member }: MemberView): string {
  return `${member.id} (${member.peerURLs.join(', ').slice(0, 200)})`;
}
