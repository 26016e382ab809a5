// SPDX-License-Identifier: Apache-2.0
import type { MemberStatus } from '@etcd-operator/etcd';
import type { Clock } from '@etcd-operator/ports';

/** A member that serves answers within milliseconds of its metrics; a busy machine takes longer. In milliseconds. */
const servesWithin = 150;

/** What a member that may not serve yet is asked. */
export interface JoiningMember {
  readonly status: (signal: AbortSignal) => Promise<MemberStatus>;
  /** How many entries it has applied; undefined if nothing of it answers. */
  readonly applied: (signal: AbortSignal) => Promise<number | undefined>;
}

/**
 * The status of a joining member, or how many entries it has applied if it is up and keeps its client port closed. Both are asked at
 * once: the port takes connections before anybody serves there, and whoever waits for the other member to start would wait for the
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
  const applied = appliedWhileClosed(member, clock, open);
  // Each may fail after the other has answered.
  for (const one of [status, applied]) one.catch(() => undefined);
  try {
    return await Promise.race([elseApplied(status, applied), unlessSilent(applied, status)]);
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

async function unlessSilent(applied: Promise<number | undefined>, status: Promise<MemberStatus>) {
  const entries = await applied;
  return entries === undefined ? status : entries;
}

/** Told late, so that a status that is on its way comes first. */
async function appliedWhileClosed(
  { applied }: JoiningMember,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<number | undefined> {
  const entries = await applied(signal);
  if (entries !== undefined) await clock.sleep(servesWithin, signal);
  return entries;
}
