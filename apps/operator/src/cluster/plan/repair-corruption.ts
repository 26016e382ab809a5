// SPDX-License-Identifier: Apache-2.0
import { objectionsTo } from '../../safety/gate.ts';
import type { Assessment } from './assessment.ts';
import { corruptionOf, describeCorruption } from './corruption.ts';
import { corruptMember } from './dead-member.ts';
import { moveLeadershipFrom } from './leadership.ts';
import { later, type Proposal, take, takeAll, waitFor } from './proposal.ts';

/**
 * While CORRUPT is raised: removes members that hold other data than a majority of the voters, one at a time, and disarms the alarm
 * once all that are left hold the same. A fresh member joins after that.
 *
 * It is removed before another joins, unlike other members that live. Until the alarm is disarmed nobody can write, however long
 * a new member takes to receive the data; and what a learner has received cannot be checked before it votes, because learners
 * do not answer HashKV. For that reason one that is joining goes as well. Undefined if others have to be dealt with first.
 */
export function repairCorruption(assessment: Assessment): Proposal | undefined {
  const corruption = corruptionOf(assessment);
  if (!corruption) return undefined;
  const words = describeCorruption(assessment, corruption);
  if (corruption.sound.length === 0) return waitFor(`etcd has raised CORRUPT. ${words}`, later);
  const [learner] = assessment.learners;
  if (learner) {
    return take(
      { do: 'removeMember', memberId: learner.member.id, name: learner.name, because: 'corrupt' },
      `${learner.name} joins again later: etcd has raised CORRUPT, and it may have received its data from a member that differs`,
    );
  }
  const [odd] = corruption.deviating;
  if (odd) {
    const [objection] = objectionsTo('removeCorruptMember', corruptMember(assessment, odd));
    if (objection) return waitFor(`${odd.name} must be replaced, but ${objection.evidence}. ${words}`, later);
    const removal = { do: 'removeMember', memberId: odd.member.id, name: odd.name, because: 'corrupt' } as const;
    return moveLeadershipFrom(assessment, odd, 'holds other data than the majority') ?? take(removal, words);
  }
  if (!corruption.isSettled) return undefined;
  return takeAll(
    corruption.raisedFor.map((memberId) => ({
      step: { do: 'disarmAlarm', memberId, alarm: 'CORRUPT' },
      reason: words,
    })),
  );
}
