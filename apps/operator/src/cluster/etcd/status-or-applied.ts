// SPDX-License-Identifier: Apache-2.0
import type { MemberStatus } from '@operator-parts/etcd';
import type { Clock } from '@operator-parts/ports';

/** The questions to a member that may not serve yet. */
export interface JoiningMember {
  readonly status: (signal: AbortSignal) => Promise<MemberStatus>;
  /** How many entries the member has applied; undefined if its metrics cannot be read either. */
  readonly applied: (signal: AbortSignal) => Promise<number | undefined>;
  /**
   * How long the status may take once the metrics have answered, in milliseconds. If undefined, only the timeout of the status request
   * applies, so that a member with slow authentication has enough time to answer.
   */
  readonly servesWithin: number | undefined;
}

/**
 * The status of a joining member, or how many entries it has applied while it runs with its client port closed. Both are asked at the same
 * time: the port accepts connections before the member serves, so waiting for the status alone could take until the timeout of the call.
 * Rejects with the error of the status request if the metrics cannot be read either.
 */
export async function statusOrApplied(
  member: JoiningMember,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<MemberStatus | number> {
  const answered = new AbortController();
  const open = AbortSignal.any([signal, answered.signal]);
  const status = member.status(open);
  const applied = member.applied(open);
  // Either request may still fail after the other was answered, and must not cause an unhandled rejection.
  for (const one of [status, applied]) one.catch(() => undefined);
  try {
    const { servesWithin } = member;
    const answer = elseApplied(status, applied);
    return await (servesWithin === undefined
      ? answer
      : Promise.race([answer, ifReachable(applied, status, () => clock.sleep(servesWithin, open))]));
  } finally {
    answered.abort(new Error('the member has answered'));
  }
}

async function elseApplied(status: Promise<MemberStatus>, applied: Promise<number | undefined>) {
  try {
    return await status;
  } catch (error) {
    const entries = await applied;
    if (entries === undefined) throw error;
    return entries;
  }
}

/** Resolves after a pause, so that a status that arrives during the pause is used instead. */
async function ifReachable(
  applied: Promise<number | undefined>,
  status: Promise<MemberStatus>,
  pause: () => Promise<void>,
) {
  const entries = await applied;
  if (entries === undefined) return status;
  await pause();
  return entries;
}
