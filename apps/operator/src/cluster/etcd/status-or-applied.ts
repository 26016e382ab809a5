// SPDX-License-Identifier: Apache-2.0
import type { MemberStatus } from '@etcd-operator/etcd';
import type { Clock } from '@etcd-operator/ports';

/** What a member that may not serve yet is asked. */
export interface JoiningMember {
  readonly status: (signal: AbortSignal) => Promise<MemberStatus>;
  /** How many entries it has applied; undefined if nothing of it answers. */
  readonly applied: (signal: AbortSignal) => Promise<number | undefined>;
  /**
   * How long the status may take once the metrics have answered, in milliseconds; undefined for as long as the call for it lasts, so that a
   * member that is slow to let anybody in is heard in the end.
   */
  readonly servesWithin: number | undefined;
}

/**
 * The status of a joining member, or how many entries it has applied if it is up and keeps its client port closed. Both are asked at
 * once: the port takes connections before the member serves there, and whoever waits for this member to start would wait for the
 * time limit of the call. Rejects as the status does if the metrics do not answer either.
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
  // Each may fail after the other has answered.
  for (const one of [status, applied]) one.catch(() => undefined);
  try {
    const { servesWithin } = member;
    const answer = elseApplied(status, applied);
    return await (servesWithin === undefined
      ? answer
      : Promise.race([answer, unlessSilent(applied, status, () => clock.sleep(servesWithin, open))]));
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

/** Told late, so that a status that is on its way comes first. */
async function unlessSilent(
  applied: Promise<number | undefined>,
  status: Promise<MemberStatus>,
  pause: () => Promise<void>,
) {
  const entries = await applied;
  if (entries === undefined) return status;
  await pause();
  return entries;
}
