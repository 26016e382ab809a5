// SPDX-License-Identifier: Apache-2.0
import { isAtLeast, parseVersion, versionOf } from '@etcd-operator/etcd';
import type { Assessment, MemberView } from './assessment.ts';
import type { PlannedStep } from './step.ts';
import { isStuck } from './stuck-pod.ts';

/** From this version on a leader forgets its oldest entries after so few that nearly every joiner is sent a snapshot. */
const forgetsEarly = { version: versionOf('3.6.0'), entries: 100 } as const;
/** How long somebody who has an address may take to come up before it is no longer waited for in this way, in milliseconds. */
const startsWithin = 5_000;

/**
 * A leader sends its snapshot to a joiner with the next entry that it applies. Where nobody writes, that is the joiner's own
 * announcement: it finds it in the snapshot, never sees it happen, and keeps its client port closed for 7 s until it tries
 * again. Entries that come in between spare it that; they leave nothing behind.
 */
export function keepLogMoving({ learners, leader, now }: Assessment): readonly PlannedStep[] {
  if (!leader || !sendsSnapshots(leader)) return [];
  return learners
    .filter((view) => isAboutToStart(view, now))
    .slice(0, 1)
    .map(({ name }) => ({
      step: { do: 'keepLogMoving' },
      reason: `${name} joins: entries that leave nothing behind make the leader send it the data at once`,
    }));
}

function sendsSnapshots({ answer }: MemberView): boolean {
  if (answer?.kind !== 'status' || answer.raftIndex <= forgetsEarly.entries) return false;
  const version = parseVersion(answer.version);
  return version !== undefined && isAtLeast(version, forgetsEarly.version);
}

function isAboutToStart({ pod, answer }: MemberView, now: number): boolean {
  if (!pod || pod.ip === '' || isStuck(pod)) return false;
  return answer?.kind === 'silent' && answer.neverAnswered === true && now - answer.since < startsWithin;
}
