// SPDX-License-Identifier: Apache-2.0
import { objectionsTo } from '../../../safety/gate.ts';
import type { Assessment } from '../assessment.ts';
import { later, type Proposal, take, takeAll, waitFor } from '../proposal.ts';
import { moveLeadershipFrom } from '../rolling/leadership.ts';
import { corruptionOf, describeCorruption } from './corruption.ts';
import { corruptMember } from './dead-member.ts';

/**
 * While CORRUPT is raised: removes members whose data differs from the majority of the voters, one at a time, and disarms the alarm once
 * all remaining voters hold the same data. New members join after that.
 *
 * A corrupt member is removed before its replacement joins, unlike other members that still run. There are two reasons. Clients cannot
 * write until the alarm is disarmed, and a new member may need a long time to receive the data. And the operator cannot check the data of a
 * learner, because learners do not answer HashKV; so a learner that is joining is removed as well. Undefined if other members need
 * attention first.
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
      `Removing learner ${learner.name}: etcd has raised CORRUPT, and the learner may have received wrong data. It is added again later.`,
    );
  }
  const [odd] = corruption.deviating;
  if (odd) {
    const [objection] = objectionsTo('removeCorruptMember', corruptMember(assessment, odd));
    if (objection) return waitFor(`Waiting to replace member ${odd.name}: ${objection.evidence}. ${words}`, later);
    const removal = { do: 'removeMember', memberId: odd.member.id, name: odd.name, because: 'corrupt' } as const;
    return moveLeadershipFrom(assessment, odd, 'holds data that differs from the majority') ?? take(removal, words);
  }
  if (!corruption.isSettled) return undefined;
  return takeAll(
    corruption.raisedFor.map((memberId) => ({
      step: { do: 'disarmAlarm', memberId, alarm: 'CORRUPT' },
      reason: words,
    })),
  );
}
