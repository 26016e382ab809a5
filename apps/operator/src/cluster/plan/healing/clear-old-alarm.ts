// SPDX-License-Identifier: Apache-2.0
import type { Assessment } from '../assessment.ts';
import { type Proposal, takeAll } from '../proposal.ts';
import { raisedFor } from '../rolling/disruption.ts';

/**
 * Disarms NOSPACE that was raised for a member which is no longer in the cluster: one that was removed, or one of the cluster that a backup was
 * taken from. It is part of the data, and would stay for ever. If a database of the present members is full, etcd raises it again for that
 * member at the next write. Undefined if there is no such alarm.
 */
export function clearOldAlarm(assessment: Assessment): Proposal | undefined {
  const listed = new Set(assessment.members.map(({ member }) => member.id));
  const old = raisedFor(assessment, 'NOSPACE').filter((id) => id !== unknownMember && !listed.has(id));
  if (old.length === 0) return undefined;
  return takeAll(
    old.map((memberId) => ({
      step: { do: 'disarmAlarm', memberId, alarm: 'NOSPACE' },
      reason: `NOSPACE was raised for member ${memberId}, which is not in the cluster: the alarm is disarmed. If a database is full, etcd raises it again.`,
    })),
  );
}

/** etcd could not tell which member is affected. */
const unknownMember = '0';
