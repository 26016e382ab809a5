// SPDX-License-Identifier: Apache-2.0

import { untilExpiry } from '../../api/time-to-live.ts';
import { longestPause } from '../backup-fault.ts';
import type { BackupObservation } from '../observation.ts';
import type { BackupOrder } from '../observe/backup-order.ts';
import { type ProofStep, planProof } from './proof-plan.ts';
import { nextDue, type Past } from './schedule.ts';
import { backupWantedAt, planStream, type StreamStep } from './stream-plan.ts';

export type BackupStep =
  /** Records the outcome of a run in the status, and reports it with an event. */
  | { readonly do: 'recordOutcome' }
  /** Drops a cancelled run, whose outcome says nothing about the backup. */
  | { readonly do: 'forgetRun' }
  /** Makes the backup that was due at `due`. */
  | { readonly do: 'start'; readonly due: number }
  /** Cancels a run that was started for an older spec. */
  | { readonly do: 'cancel' }
  /** Removes CoreOS's finalizer. We do not use it, and it would prevent the deletion of the object. */
  | { readonly do: 'removeCoreosFinalizer' }
  | { readonly do: 'addOwnFinalizer' }
  /** Deletes the stored backups. If the last attempt fails, the object is deleted nevertheless. */
  | { readonly do: 'deleteStored'; readonly isLastTry: boolean }
  | { readonly do: 'removeOwnFinalizer' }
  /** Deletes a finished EtcdBackup whose time to live is over. */
  | { readonly do: 'deleteObject' }
  | ProofStep
  | StreamStep;

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
  /** When the next backup of a series is due. */
  readonly nextDue: number | undefined;
  /** When to reconcile again, in milliseconds since the epoch; undefined: only when something changes. */
  readonly requeueAt: number | undefined;
}

/** How often the progress of a run is reported. */
const progressInterval = 3_000;

/**
 * Timers use the monotonic clock, and schedules use the wall clock. If the wall clock is set forward, a backup is due before its timer
 * ends. So the operator looks at least this often.
 */
const longestRest = 5 * 60_000;

/** How long failing deletions of stored backups may delay the deletion of the object. */
const deletionLimit = 10 * 60_000;

/**
 * Decides what to do about one EtcdBackup now. Pure and total. The first rule that applies decides; rules marked + only add steps. All
 * steps are carried out in one reconciliation; each step gets the object as the previous step left it:
 *
 *  1. + a run has ended: its outcome is recorded; a cancelled run is dropped
 *  2. the EtcdBackup is being deleted: its run is cancelled first. Then the stored backups are deleted, if deletionPolicy is Delete, and
 *     the finalizers are removed
 *  3. + the finalizer of CoreOS etcd-operator is removed; our own finalizer is set if deletionPolicy is Delete, and removed otherwise
 *  4. the spec is not valid: its run is cancelled, and nothing is started
 *  5. a run is in progress: it is cancelled if the spec has changed since it was started
 *  6. a single backup that was made, encrypted if the spec requires it, is not made again; its EtcdBackup is deleted when its time to live
 *     is over
 *  7. a single backup that failed under CoreOS etcd-operator is not retried until the spec changes
 *  8. the next backup of a series is not due yet, and the recording of changes does not need a new backup: nothing is started
 *  9. the last attempt failed: the next attempt is made after a pause
 * 10. the backup is due: a run is started
 *
 * In addition, changes may be recorded (`stream-plan.ts`), and a stored backup may be proven, that is, restored as a test
 * (`proof-plan.ts`). Backups have priority: no backup waits for a proof.
 */
export function planBackup(observation: BackupObservation, now: number): BackupPlan {
  const planned = planAfterRun(observation, now);
  const isBusy = observation.run !== undefined || planned.steps.some(({ do: what }) => comesFirst.has(what));
  const proof = planProof(observation, isBusy, now);
  const times = [planned.requeueAt, proof.requeueAt].filter((time) => time !== undefined);
  const steps = [...endedSteps(observation), ...proof.steps, ...planStream(observation), ...planned.steps];
  return { ...planned, steps, requeueAt: times.length > 0 ? Math.min(...times) : undefined };
}

/** Steps that come before a proof or prevent it. */
const comesFirst: ReadonlySet<BackupStep['do']> = new Set(['start', 'deleteObject']);

function endedSteps({ run }: BackupObservation): readonly BackupStep[] {
  switch (run?.state) {
    case 'ended':
      return [{ do: 'recordOutcome' }];
    case 'cancelled':
      return [{ do: 'forgetRun' }];
    case 'running':
    case undefined:
      return [];
  }
}

function planAfterRun(observation: BackupObservation, now: number): BackupPlan {
  if (observation.isDeleting) return planDeletion(observation);
  const { run, generation, order } = observation;
  const finalizers = finalizerSteps(observation);
  if (!order) return plan('invalid', [...finalizers, ...(run?.state === 'running' ? [cancel] : [])]);
  if (run?.state === 'running') {
    const steps = run.generation === generation ? finalizers : [...finalizers, cancel];
    return plan('running', steps, { nextDue: upcoming(order, observation, now), requeueAt: now + progressInterval });
  }
  const timing =
    order.schedule.kind === 'once' ? planOnce(observation, order, now) : planSeries(observation, order, now);
  return { ...timing, steps: [...finalizers, ...timing.steps] };
}

function startsRun({ steps }: BackupPlan): boolean {
  return steps.some((step) => step.do === 'start' || step.do === 'startProof');
}

/** True for steps that need the object as the API server has it now: starting a run, and deleting stored backups. */
export function needsLiveRead(plan: BackupPlan): boolean {
  return startsRun(plan) || plan.steps.some((step) => step.do === 'deleteStored');
}

/** How long to wait before the next reconciliation, in milliseconds; undefined: until something changes. */
export function restAfter(plan: BackupPlan, now: number): number | undefined {
  if (startsRun(plan)) return progressInterval;
  const { requeueAt } = plan;
  return requeueAt === undefined ? undefined : Math.max(1, Math.min(longestRest, requeueAt - now));
}

function planOnce(observation: BackupObservation, order: BackupOrder, now: number): BackupPlan {
  if (isDone(observation, order)) return planFinished(observation, order, now);
  if (hasFailedUnderCoreos(observation)) return plan('refused', []);
  const retryAt = pendingRetry(observation, now);
  if (retryAt !== undefined) return plan('retrying', [], { requeueAt: retryAt });
  return plan('due', [{ do: 'start', due: now }]);
}

function planFinished({ memory, seenFor }: BackupObservation, { ttlSeconds }: BackupOrder, now: number): BackupPlan {
  const { finishedAt } = memory;
  const left = untilExpiry({ ttlSeconds, finishedAt, seenFor: seenFor.finishedAt }, now);
  if (left === undefined) return plan('complete', []);
  return left === 0 ? plan('complete', [{ do: 'deleteObject' }]) : plan('complete', [], { requeueAt: now + left });
}

function planSeries(observation: BackupObservation, order: BackupOrder, now: number): BackupPlan {
  const times = [upcoming(order, observation, now), backupWantedAt(observation, now)];
  const known = times.filter((time) => time !== undefined);
  if (known.length === 0) return plan('waiting', []);
  const due = Math.min(...known);
  if (due > now) return plan('waiting', [], { nextDue: due, requeueAt: due });
  const retryAt = pendingRetry(observation, now);
  if (retryAt !== undefined) return plan('retrying', [], { nextDue: due, requeueAt: retryAt });
  return plan('due', [{ do: 'start', due }], { nextDue: due });
}

/**
 * A single backup is made once for each path. A change of any other field does not cause another backup, and neither does a failure after
 * such a change. The exception is encryption: if the spec requires it and the backup is unencrypted, a run starts and reports the conflict.
 */
function isDone({ memory, hasCoreosFinalizer }: BackupObservation, { place, isEncrypted }: BackupOrder): boolean {
  // A status that another operator wrote is about a single backup, unless the finalizer shows that it is about a series.
  if (memory.lastPath === undefined) return memory.hasMade && !hasCoreosFinalizer;
  return memory.lastPath === place.path && (!isEncrypted || memory.lastKeyId !== undefined);
}

/**
 * The CoreOS etcd-backup-operator never retried, and users have dealt with the failures that it reported. So only a change of the spec
 * causes a new attempt.
 */
function hasFailedUnderCoreos({ memory, generation }: BackupObservation): boolean {
  const { attempts, reason, observedGeneration } = memory;
  return attempts === undefined && reason !== '' && (observedGeneration ?? generation) === generation;
}

/**
 * When to retry after a failure; undefined if a retry may start now. A changed spec is retried at once. A retry time that is further away
 * than the longest pause is ignored: someone has set the clock since or before the time was written.
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
  const { order, hasCoreosFinalizer, hasOwnFinalizer } = observation;
  const steps: BackupStep[] = [];
  const isAnswered = order?.schedule.kind !== 'once' || observation.memory.lastPath !== undefined;
  if (hasCoreosFinalizer && isAnswered) steps.push({ do: 'removeCoreosFinalizer' });
  if (order && order.deleteStored !== hasOwnFinalizer)
    steps.push({ do: order.deleteStored ? 'addOwnFinalizer' : 'removeOwnFinalizer' });
  return steps;
}

function planDeletion(observation: BackupObservation): BackupPlan {
  const { run, order, hasOwnFinalizer, hasCoreosFinalizer, seenFor } = observation;
  if (run?.state === 'running') return plan('deleting', [cancel]);
  const steps: BackupStep[] = [];
  const isLastTry = seenFor.deletion >= deletionLimit;
  if (hasOwnFinalizer && order?.deleteStored) steps.push({ do: 'deleteStored', isLastTry });
  if (hasOwnFinalizer) steps.push({ do: 'removeOwnFinalizer' });
  if (hasCoreosFinalizer) steps.push({ do: 'removeCoreosFinalizer' });
  return plan('deleting', steps);
}

const cancel: BackupStep = { do: 'cancel' };

function plan(
  situation: BackupSituation,
  steps: readonly BackupStep[],
  times: { readonly nextDue?: number | undefined; readonly requeueAt?: number | undefined } = {},
): BackupPlan {
  return { situation, steps, nextDue: times.nextDue, requeueAt: times.requeueAt };
}
