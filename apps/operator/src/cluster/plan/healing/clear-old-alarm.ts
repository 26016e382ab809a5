// SPDX-License-Identifier: Apache-2.0
import type { Assessment } from '../assessment.ts';
import { type Proposal, takeAll } from '../proposal.ts';
import { raisedFor } from '../rolling/disruption.ts';

/**
 * Disarms the alarm NOSPACE of a member that is no longer in the cluster: a member that was removed, or a member of the cluster from which
 * a backup was taken. etcd stores the alarm with its data, so it would never end by itself. If the database of a present member is full,
 * etcd raises the alarm for that member at the next write. Undefined if there is no such alarm.
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
