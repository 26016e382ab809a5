// SPDX-License-Identifier: Apache-2.0
import type { BackupOrder, OrderProblem } from './backup-order.ts';
import { nextDue, type Past } from './schedule.ts';

/** What the status of an EtcdBackup remembers, times in milliseconds since the epoch. */
export interface BackupMemory {
  readonly succeeded: boolean;
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

/** The run of a backup in this process. */
export interface RunView {
  readonly generation: number;
  readonly state: 'running' | 'ended';
}

/** Everything that one decision about an EtcdBackup needs. */
export interface BackupObservation {
  readonly generation: number;
  readonly created: number;
  /** When it was asked to go; undefined while it is to stay. */
  readonly deletedAt: number | undefined;
  readonly hasOriginalFinalizer: boolean;
  readonly hasOwnFinalizer: boolean;
  readonly order: BackupOrder | undefined;
  readonly problem: OrderProblem | undefined;
  readonly memory: BackupMemory;
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
  | { readonly do: 'deleteStored'; readonly giveUpAt: number }
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

/** Deleting stored backups may not keep an object from going for longer. */
const deletionLimit = 10 * 60_000;

/** What to do about one EtcdBackup now. Pure and total. */
export function planBackup(observation: BackupObservation, now: number): BackupPlan {
  if (observation.deletedAt !== undefined) return planDeletion(observation, observation.deletedAt);
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

function planOnce(observation: BackupObservation, order: BackupOrder, now: number): BackupPlan {
  if (isDone(observation, order)) return plan('complete', []);
  if (isRefusedByOriginal(observation)) return plan('refused', []);
  const retryAt = pendingRetry(observation);
  if (retryAt !== undefined && retryAt > now) return plan('retrying', [], { lookAt: retryAt });
  return plan('due', [{ do: 'start', due: now }]);
}

function planSeries(observation: BackupObservation, order: BackupOrder, now: number): BackupPlan {
  const due = upcoming(order, observation, now);
  if (due === undefined) return plan('waiting', []);
  if (due > now) return plan('waiting', [], { nextDue: due, lookAt: due });
  const retryAt = pendingRetry(observation);
  if (retryAt !== undefined && retryAt > now) return plan('retrying', [], { nextDue: due, lookAt: retryAt });
  return plan('due', [{ do: 'start', due }], { nextDue: due });
}

/** A single backup is made once for each path: a change of anything else does not ask for another. */
function isDone({ memory, hasOriginalFinalizer }: BackupObservation, { place }: BackupOrder): boolean {
  if (!memory.succeeded) return false;
  // What another operator reported was a single backup, unless its finalizer says that it was one of a series.
  return memory.lastPath === undefined ? !hasOriginalFinalizer : memory.lastPath === place.path;
}

/** The original never tried again, and people have dealt with what it reported; only a change of the spec asks anew. */
function isRefusedByOriginal({ memory, generation }: BackupObservation): boolean {
  const { attempts, reason, observedGeneration } = memory;
  return attempts === undefined && reason !== '' && (observedGeneration ?? generation) === generation;
}

/** A change of the spec is tried at once. */
function pendingRetry({ memory, generation }: BackupObservation): number | undefined {
  const isFailing = (memory.attempts ?? 0) > 0 && memory.observedGeneration === generation;
  return isFailing ? memory.nextAttempt : undefined;
}

function upcoming(order: BackupOrder, { memory, created }: BackupObservation, now: number): number | undefined {
  const past: Past = { last: memory.lastDue, created };
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

function planDeletion(observation: BackupObservation, deletedAt: number): BackupPlan {
  const { run, order, hasOwnFinalizer, hasOriginalFinalizer } = observation;
  if (run?.state === 'running') return plan('deleting', [cancel]);
  const steps: BackupStep[] = [];
  if (hasOwnFinalizer && order?.deleteStored) steps.push({ do: 'deleteStored', giveUpAt: deletedAt + deletionLimit });
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
