// SPDX-License-Identifier: Apache-2.0

import { longestPause } from './backup-fault.ts';
import type { BackupOrder, OrderProblem } from './backup-order.ts';
import { nextDue, type Past } from './schedule.ts';

/** What the status of an EtcdBackup remembers, times in milliseconds since the epoch. */
export interface BackupMemory {
  /** A backup was made once, by whomever, whatever became of later tries. */
  readonly hasMade: boolean;
  readonly reason: string;
  /** Undefined in a status that another operator wrote. */
  readonly attempts: number | undefined;
  readonly nextAttempt: number | undefined;
  readonly lastDue: number | undefined;
  /** Path of the last backup; undefined in a status that another operator wrote. */
  readonly lastPath: string | undefined;
  /** The generation that attempts and reason belong to. */
  readonly observedGeneration: number | undefined;
}

/**
 * How long this process has seen what the memory holds, in milliseconds of the monotonic clock. The wall clock may be set; then
 * these say how much time has passed at least.
 */
export interface SeenTimes {
  readonly lastDue: number;
  readonly nextAttempt: number;
  /** That the object is to go. */
  readonly deletion: number;
}

/** The run of a backup in this process. */
export interface RunView {
  readonly generation: number;
  readonly state: 'running' | 'ended';
}

/** Everything that one decision about an EtcdBackup needs. */
export interface BackupObservation {
  readonly generation: number;
  readonly created: number;
  readonly isDeleting: boolean;
  readonly hasOriginalFinalizer: boolean;
  readonly hasOwnFinalizer: boolean;
  readonly order: BackupOrder | undefined;
  readonly problem: OrderProblem | undefined;
  readonly memory: BackupMemory;
  readonly seenFor: SeenTimes;
  readonly run: RunView | undefined;
}

export type BackupStep =
  /** Makes the backup that was due at `due`. */
  | { readonly do: 'start'; readonly due: number }
  /** Ends a run whose order is no longer that of the spec. */
  | { readonly do: 'cancel' }
  /** The original's finalizer is of no use to us, and without it nothing keeps an object from being deleted. */
  | { readonly do: 'removeOriginalFinalizer' }
  | { readonly do: 'addOwnFinalizer' }
  /** Of the last try a failure does not keep the object from going. */
  | { readonly do: 'deleteStored'; readonly isLastTry: boolean }
  | { readonly do: 'removeOwnFinalizer' };

export type BackupSituation =
  | 'invalid'
  | 'running'
  | 'due'
  | 'waiting'
  | 'retrying'
  | 'complete'
  | 'refused'
  | 'deleting';

export interface BackupPlan {
  readonly situation: BackupSituation;
  readonly steps: readonly BackupStep[];
  /** When the next backup is due, of those that are made again and again. */
  readonly nextDue: number | undefined;
  /** When to look again, in milliseconds since the epoch; undefined: only when something changes. */
  readonly lookAt: number | undefined;
}

/** How often the progress of a run is reported. */
const progressInterval = 3_000;

/** Timers run by another clock than schedules do: one that was set forward makes a backup due before its timer ends. */
const longestRest = 5 * 60_000;

/** Deleting stored backups may not keep an object from going for longer. */
const deletionLimit = 10 * 60_000;

/** What to do about one EtcdBackup now. Pure and total. */
export function planBackup(observation: BackupObservation, now: number): BackupPlan {
  if (observation.isDeleting) return planDeletion(observation);
  const { run, generation, order } = observation;
  const finalizers = finalizerSteps(observation);
  if (!order) return plan('invalid', [...finalizers, ...(run?.state === 'running' ? [cancel] : [])]);
  if (run?.state === 'running') {
    const steps = run.generation === generation ? finalizers : [...finalizers, cancel];
    return plan('running', steps, { nextDue: upcoming(order, observation, now), lookAt: now + progressInterval });
  }
  const timing =
    order.schedule.kind === 'once' ? planOnce(observation, order, now) : planSeries(observation, order, now);
  return { ...timing, steps: [...finalizers, ...timing.steps] };
}

/** How long to rest before looking again, in milliseconds; undefined: until something changes. */
export function restAfter({ steps, lookAt }: BackupPlan, now: number): number | undefined {
  if (steps.some((step) => step.do === 'start')) return progressInterval;
  return lookAt === undefined ? undefined : Math.max(1, Math.min(longestRest, lookAt - now));
}

function planOnce(observation: BackupObservation, order: BackupOrder, now: number): BackupPlan {
  if (isDone(observation, order)) return plan('complete', []);
  if (isRefusedByOriginal(observation)) return plan('refused', []);
  const retryAt = pendingRetry(observation, now);
  if (retryAt !== undefined) return plan('retrying', [], { lookAt: retryAt });
  return plan('due', [{ do: 'start', due: now }]);
}

function planSeries(observation: BackupObservation, order: BackupOrder, now: number): BackupPlan {
  const due = upcoming(order, observation, now);
  if (due === undefined) return plan('waiting', []);
  if (due > now) return plan('waiting', [], { nextDue: due, lookAt: due });
  const retryAt = pendingRetry(observation, now);
  if (retryAt !== undefined) return plan('retrying', [], { nextDue: due, lookAt: retryAt });
  return plan('due', [{ do: 'start', due }], { nextDue: due });
}

/**
 * A single backup is made once for each path: a change of anything else does not ask for another, and neither does a failure of
 * what the spec asked for meanwhile.
 */
function isDone({ memory, hasOriginalFinalizer }: BackupObservation, { place }: BackupOrder): boolean {
  // What another operator reported was a single backup, unless its finalizer says that it was one of a series.
  return memory.lastPath === undefined ? memory.hasMade && !hasOriginalFinalizer : memory.lastPath === place.path;
}

/** The original never tried again, and people have dealt with what it reported; only a change of the spec asks anew. */
function isRefusedByOriginal({ memory, generation }: BackupObservation): boolean {
  const { attempts, reason, observedGeneration } = memory;
  return attempts === undefined && reason !== '' && (observedGeneration ?? generation) === generation;
}

/**
 * When to try again after a failure; undefined if that may be now. A change of the spec is tried at once, and so is a time that no
 * pause leads to: it was written, or is read, by a clock that was set.
 */
function pendingRetry({ memory, generation, seenFor }: BackupObservation, now: number): number | undefined {
  const { attempts = 0, nextAttempt, observedGeneration } = memory;
  if (attempts <= 0 || observedGeneration !== generation || nextAttempt === undefined) return undefined;
  const isPause = nextAttempt > now && nextAttempt - now <= longestPause && seenFor.nextAttempt < longestPause;
  return isPause ? Math.min(nextAttempt, now + longestPause - seenFor.nextAttempt) : undefined;
}

function upcoming(order: BackupOrder, { memory, created, seenFor }: BackupObservation, now: number) {
  const past: Past = { last: memory.lastDue, created, seenFor: seenFor.lastDue };
  return order.schedule.kind === 'once' ? undefined : nextDue(order.schedule, past, now);
}

function finalizerSteps(observation: BackupObservation): readonly BackupStep[] {
  const { order, hasOriginalFinalizer, hasOwnFinalizer } = observation;
  const steps: BackupStep[] = [];
  const isAnswered = order?.schedule.kind !== 'once' || observation.memory.lastPath !== undefined;
  if (hasOriginalFinalizer && isAnswered) steps.push({ do: 'removeOriginalFinalizer' });
  if (order && order.deleteStored !== hasOwnFinalizer)
    steps.push({ do: order.deleteStored ? 'addOwnFinalizer' : 'removeOwnFinalizer' });
  return steps;
}

function planDeletion(observation: BackupObservation): BackupPlan {
  const { run, order, hasOwnFinalizer, hasOriginalFinalizer, seenFor } = observation;
  if (run?.state === 'running') return plan('deleting', [cancel]);
  const steps: BackupStep[] = [];
  const isLastTry = seenFor.deletion >= deletionLimit;
  if (hasOwnFinalizer && order?.deleteStored) steps.push({ do: 'deleteStored', isLastTry });
  if (hasOwnFinalizer) steps.push({ do: 'removeOwnFinalizer' });
  if (hasOriginalFinalizer) steps.push({ do: 'removeOriginalFinalizer' });
  return plan('deleting', steps);
}

const cancel: BackupStep = { do: 'cancel' };

function plan(
  situation: BackupSituation,
  steps: readonly BackupStep[],
  times: { readonly nextDue?: number | undefined; readonly lookAt?: number | undefined } = {},
): BackupPlan {
  return { situation, steps, nextDue: times.nextDue, lookAt: times.lookAt };
}
