// SPDX-License-Identifier: Apache-2.0
import { type ConditionReason, conditionReasons as reasons } from '../../api/reasons.ts';
import type { Assessment } from '../plan/assessment.ts';
import { corruptionOf, describeCorruption } from '../plan/healing/corruption.ts';
import { raisedFor } from '../plan/rolling/disruption.ts';

/** Why clients cannot write although there is a quorum: the most serious alarm. Undefined if none is raised. */
export function describeAlarm(
  assessment: Assessment,
): { readonly reason: ConditionReason; readonly message: string } | undefined {
  const corruption = corruptionOf(assessment);
  if (corruption) {
    const words = describeCorruption(assessment, corruption);
    return {
      reason: reasons.corrupt,
      message: `etcd has raised CORRUPT: members hold different data, and writes are refused. ${words}`,
    };
  }
  const full = raisedFor(assessment, 'NOSPACE');
  if (full.length === 0) return undefined;
  const names = full.map((id) => assessment.members.find(({ member }) => member.id === id)?.name ?? id);
  return {
    reason: reasons.noSpace,
    message:
      `etcd has raised NOSPACE for ${names.join(' and ')}: the database has reached its quota, and writes are refused; reads and ` +
      'deletes work. Delete keys, compact, defragment each member, then disarm the alarm: see runbook disk-full.',
  };
}
