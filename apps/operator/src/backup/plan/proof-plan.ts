// SPDX-License-Identifier: Apache-2.0
import type { CronSchedule } from '@etcd-operator/ports';
import type { BackupObservation } from '../observation.ts';
import { nextDue } from './schedule.ts';

/** When backups are proven. */
export type ProofSchedule =
  | { readonly kind: 'cron'; readonly cron: CronSchedule }
  /** After so many backups. */
  | { readonly kind: 'everyNth'; readonly count: number };

/** What the status remembers of the last proof. Times in milliseconds since the epoch. */
export interface ProofMemory {
  readonly path: string;
  readonly due: number | undefined;
  /** It was started, but its outcome is not recorded: the process that ran it has ended. */
  readonly isOpen: boolean;
  readonly backupsSince: number;
  /** How often it could not be made, in a row. */
  readonly attempts: number;
  readonly nextAttempt: number | undefined;
}

/** The proof in this process. `ended`: what it came to is not yet in the status. `outdated`: it is of another spec. */
export type ProofView = 'idle' | 'running' | 'outdated' | 'ended';

export type ProofStep =
  /** Begins to prove the backup at `path`. */
  | { readonly do: 'startProof'; readonly path: string; readonly due: number }
  /** Records the outcome of a proof in the status, and reports it with an event. */
  | { readonly do: 'recordProof' }
  /** Ends a proof that the spec no longer asks for. */
  | { readonly do: 'cancelProof' }
  /** The spec no longer asks for proofs: the condition about the last proof is removed. status.lastProven stays. */
  | { readonly do: 'dropProof' };

export interface ProofPlan {
  readonly steps: readonly ProofStep[];
  /** When to reconcile again, in milliseconds since the epoch; undefined: only when something changes. */
  readonly lookAt: number | undefined;
}

const nothing: ProofPlan = { steps: [], lookAt: undefined };

/** How long to wait after so many proofs in a row that could not be made, in milliseconds: each makes a pod. */
export function proofPause(attempts: number): number {
  return Math.min(60 * 60_000, 60_000 * 2 ** Math.min(10, attempts - 1));
}

/**
 * Whether to prove a backup now. Pure and total. The rules in order; the first that applies decides:
 *
 *  1. a proof has ended: it is recorded
 *  2. the EtcdBackup is being deleted, its spec is not valid or asks for no proofs: one that is made is cancelled
 *  3. a proof is being made: it is cancelled if the spec has changed, and otherwise waited for
 *  4. a backup is being made or due: it comes first. There is none: nothing can be proven
 *  5. nothing was ever proven, or the process that proved has ended: the newest is proven now
 *  6. the last proof could not be made: it is made again after a pause
 *  7. it is time, or so many backups have been made: the newest is proven
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
  return at.time > now ? { steps: [], lookAt: at.time } : steps({ do: 'startProof', path, due: at.due });
}

function unasked({ order, memory, proof, isDeleting }: BackupObservation): ProofPlan {
  if (proof !== 'idle') return steps({ do: 'cancelProof' });
  return memory.proof && order && !isDeleting ? steps({ do: 'dropProof' }) : nothing;
}

/** When to begin, and for which due time. A proof that was cut short or could not be made is the same one again. */
function startTime(schedule: ProofSchedule, observation: BackupObservation, now: number) {
  const { proof } = observation.memory;
  const sameAgain = proof?.due ?? now;
  if (!proof || proof.isOpen) return { time: now, due: sameAgain };
  const retryAt = retryOf(proof, now);
  if (retryAt !== undefined) return { time: retryAt, due: sameAgain };
  const due = dueTime(schedule, proof, observation, now);
  return due === undefined ? undefined : { time: due, due };
}

/** When to make a proof again that could not be made. A time that no pause leads to is not believed. */
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
  return { steps: all, lookAt: undefined };
}
