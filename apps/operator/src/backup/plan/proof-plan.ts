// SPDX-License-Identifier: Apache-2.0
import type { CronSchedule } from '@operator-parts/ports';
import type { BackupObservation } from '../observation.ts';
import { nextDue } from './schedule.ts';

/** When stored backups are proven (restored as a test). */
export type ProofSchedule =
  | { readonly kind: 'cron'; readonly cron: CronSchedule }
  /** Number of new backups after which a proof is due. */
  | { readonly kind: 'everyNth'; readonly count: number };

/** What the status records about the last proof. Times are in milliseconds since the epoch. */
export interface ProofMemory {
  readonly path: string;
  readonly due: number | undefined;
  /** The proof was started, but its outcome is not recorded: the process that ran it has ended. */
  readonly isOpen: boolean;
  readonly backupsSince: number;
  /** How many times in a row the proof could not be made, so that it showed nothing about the backup. */
  readonly attempts: number;
  readonly nextAttempt: number | undefined;
}

/** The proof that runs in this process. `ended`: its outcome is not yet in the status. `outdated`: it was started for an older spec. */
export type ProofView = 'idle' | 'running' | 'outdated' | 'ended';

export type ProofStep =
  /** Begins to prove the backup at `path`. */
  | { readonly do: 'startProof'; readonly path: string; readonly due: number }
  /** Records the outcome of a proof in the status, and reports it with an event. */
  | { readonly do: 'recordProof' }
  /** Cancels a proof that the spec no longer asks for. */
  | { readonly do: 'cancelProof' }
  /** The spec no longer asks for proofs: the condition about the last proof is removed. status.lastProven stays. */
  | { readonly do: 'dropProof' };

export interface ProofPlan {
  readonly steps: readonly ProofStep[];
  /** When to reconcile again, in milliseconds since the epoch; undefined: only when something changes. */
  readonly requeueAt: number | undefined;
}

const nothing: ProofPlan = { steps: [], requeueAt: undefined };

/** How long to wait before the next attempt if this many proofs in a row could not be made, in milliseconds. Each attempt creates a pod. */
export function proofPause(attempts: number): number {
  return Math.min(60 * 60_000, 60_000 * 2 ** Math.min(10, attempts - 1));
}

/**
 * Decides whether to prove a backup now. Pure and total. The first rule that applies decides:
 *
 *  1. a proof has ended: its outcome is recorded
 *  2. the EtcdBackup is being deleted, or its spec is not valid or asks for no proofs: a proof in progress is cancelled
 *  3. a proof is in progress: if the spec has changed, the proof is cancelled, otherwise it continues
 *  4. a backup is in progress or due: the proof waits for the backup. No backup exists: nothing can be proven
 *  5. no backup was ever proven, or the process of the last proof ended: the newest backup is proven now
 *  6. the last proof could not be made: it is retried after a pause
 *  7. the proof is due by time or by number of backups: the newest backup is proven
 */
export function planProof(observation: BackupObservation, isBackupBusy: boolean, now: number): ProofPlan {
  const { order, memory, proof: view, isDeleting } = observation;
  if (view === 'ended') return steps({ do: 'recordProof' });
  const schedule = isDeleting ? undefined : order?.prove;
  if (!schedule) return unasked(observation);
  if (view === 'outdated') return steps({ do: 'cancelProof' });
  const { lastPath: path } = memory;
  if (view === 'running' || isBackupBusy || path === undefined) return nothing;
  const at = startTime(schedule, observation, now);
  if (at === undefined) return nothing;
  return at.time > now ? { steps: [], requeueAt: at.time } : steps({ do: 'startProof', path, due: at.due });
}

function unasked({ order, memory, proof, isDeleting }: BackupObservation): ProofPlan {
  if (proof !== 'idle') return steps({ do: 'cancelProof' });
  return memory.proof && order && !isDeleting ? steps({ do: 'dropProof' }) : nothing;
}

/** When to start, and for which due time. A proof that was interrupted or could not be made is retried with the same due time. */
function startTime(schedule: ProofSchedule, observation: BackupObservation, now: number) {
  const { proof } = observation.memory;
  const sameAgain = proof?.due ?? now;
  if (!proof || proof.isOpen) return { time: now, due: sameAgain };
  const retryAt = retryOf(proof, now);
  if (retryAt !== undefined) return { time: retryAt, due: sameAgain };
  const due = dueTime(schedule, proof, observation, now);
  return due === undefined ? undefined : { time: due, due };
}

/** When to retry a proof that could not be made. A recorded time that is further away than the longest pause is ignored. */
function retryOf({ attempts, nextAttempt }: ProofMemory, now: number): number | undefined {
  if (attempts <= 0) return undefined;
  if (nextAttempt === undefined || nextAttempt - now > proofPause(attempts)) return now;
  return nextAttempt;
}

function dueTime(
  schedule: ProofSchedule,
  { due, backupsSince, path }: ProofMemory,
  { created, memory, proofSeenFor }: BackupObservation,
  now: number,
): number | undefined {
  switch (schedule.kind) {
    case 'everyNth':
      return backupsSince >= schedule.count && memory.lastPath !== path ? now : undefined;
    case 'cron':
      return nextDue(schedule, { last: due, created, seenFor: proofSeenFor }, now);
  }
}

function steps(...all: readonly ProofStep[]): ProofPlan {
  return { steps: all, requeueAt: undefined };
}
