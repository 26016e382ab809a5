// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from '../assessment.ts';
import { type Proposal, take } from '../proposal.ts';

/** How long an unmanaged learner may stay unstarted before it is removed. */
const unmanagedLimit = 300_000;

/** Members that this operator did not create. They are reported; only a learner that never started is ever removed (operator rule 29). */
export function unmanagedMembersOf({ members }: Assessment): readonly MemberView[] {
  return members.filter((view) => view.health.kind === 'unmanaged');
}

export function removeOverdueUnmanaged(assessment: Assessment): Proposal | undefined {
  const { now } = assessment;
  const overdue = unstarted(assessment).find(
    ({ member }) => member.isLearner && now - member.seenSince > unmanagedLimit,
  );
  if (!overdue) return undefined;
  const waited = Math.round((now - overdue.member.seenSince) / 1000);
  return take(
    { do: 'removeMember', memberId: overdue.member.id, name: overdue.name, because: 'dead' },
    `Removing unmanaged learner ${describeUnmanaged(overdue)}: it has not started for ${waited} s.`,
  );
}

/**
 * Why no member can join now: a new member waits until every name in its member list resolves, and the name of an unmanaged member that has
 * not started may never resolve (operator rule 9).
 */
export function unmanagedThatBlocksJoin(assessment: Assessment): string | undefined {
  const [first] = unstarted(assessment);
  return (
    first &&
    `Unmanaged member ${describeUnmanaged(first)} has not started, so no other member can join. ` +
      'Start it, or remove it with etcdctl member remove.'
  );
}

function unstarted(assessment: Assessment): readonly MemberView[] {
  return unmanagedMembersOf(assessment).filter(({ health }) => health.kind === 'unmanaged' && !health.hasStarted);
}

export function describeUnmanaged({ member }: MemberView): string {
  return `${member.id} (${member.peerURLs.join(', ').slice(0, 200)})`;
}
