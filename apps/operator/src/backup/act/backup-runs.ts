// SPDX-License-Identifier: Apache-2.0
import { whenAborted } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import { type BackupFault, faultOf } from '../backup-fault.ts';
import type { TakenBackup } from './take-backup.ts';

/** Progress of a run. Times are in milliseconds since the epoch. */
export interface RunProgress {
  readonly object: string | undefined;
  readonly startedAt: number;
  readonly bytes: number;
  /** Size of the database as etcd reports it; the snapshot has about this size. 0 while it is unknown. */
  readonly totalBytes: number;
  readonly seconds: number;
  /** Objects that this run left in the store because it could not delete them. */
  readonly left: readonly string[];
  /** Why the first object of `left` could not be deleted, in words for users. */
  readonly whyLeft?: string | undefined;
  /** Objects of earlier failed runs that this run deleted from the store. */
  readonly removed: readonly string[];
  /** Warning about Secrets that the run used although they lack our label. */
  readonly secretWarning?: string | undefined;
}

/** Outcome of a run. */
export type RunOutcome =
  | { readonly kind: 'taken'; readonly taken: TakenBackup }
  | { readonly kind: 'failed'; readonly fault: BackupFault }
  /** Cancelled: the outcome says nothing about the backup. */
  | { readonly kind: 'cancelled' };

/** The run reports its progress through these calls. */
export interface RunReporter {
  object(key: string, totalBytes: number): void;
  bytes(bytes: number): void;
  left(key: string, why: string): void;
  removed(key: string): void;
  secretWarning(message: string): void;
}

export interface RunRequest {
  readonly uid: string;
  readonly generation: number;
  /** When this backup was due. */
  readonly due: number;
  readonly work: (signal: AbortSignal, reporter: RunReporter) => Promise<TakenBackup>;
  /** Called when the run has ended. */
  readonly onEnd: () => void;
}

interface Run {
  readonly generation: number;
  readonly due: number;
  readonly startedAt: number;
  readonly started: number;
  readonly stop: AbortController;
  /** Resolves when the run has ended and cleaned up. */
  task: Promise<void>;
  object: string | undefined;
  bytes: number;
  totalBytes: number;
  readonly left: Map<string, string>;
  readonly removed: Set<string>;
  secretWarning: string | undefined;
  ended: { readonly outcome: RunOutcome; readonly seconds: number } | undefined;
}

/** A run as it is now. */
export interface RunState {
  readonly generation: number;
  readonly due: number;
  readonly progress: RunProgress;
  /** Undefined while the run is in progress. */
  readonly outcome: RunOutcome | undefined;
}

/**
 * The backups that this process is making, at most one for each object. The outcome of a run is kept until it has been reported. A run
 * lasts longer than a reconciliation, so that a deletion or change of the object is noticed meanwhile.
 */
export class BackupRuns {
  readonly name = 'running backups';
  readonly needsLeader = true;
  readonly #clock: Clock;
  readonly #runs = new Map<string, Run>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends all runs when the manager stops or the lease is lost, and waits until they have cleaned up. */
  async run(signal: AbortSignal): Promise<void> {
    await whenAborted(signal);
    this.#stop.abort(signal.reason);
    await Promise.all(this.#tasks);
  }

  get running(): number {
    return this.#tasks.size;
  }

  start(request: RunRequest): void {
    if (this.#runs.has(request.uid) || this.#stop.signal.aborted) return;
    const run: Run = {
      generation: request.generation,
      due: request.due,
      startedAt: this.#clock.now(),
      started: this.#clock.monotonic(),
      stop: new AbortController(),
      task: Promise.resolve(),
      object: undefined,
      bytes: 0,
      totalBytes: 0,
      left: new Map(),
      removed: new Set(),
      secretWarning: undefined,
      ended: undefined,
    };
    this.#runs.set(request.uid, run);
    const task = this.#work(run, request).finally(() => this.#tasks.delete(task));
    run.task = task;
    this.#tasks.add(task);
  }

  state(uid: string): RunState | undefined {
    const run = this.#runs.get(uid);
    if (!run) return undefined;
    const { object, bytes, totalBytes, startedAt, generation, due } = run;
    const seconds = run.ended?.seconds ?? this.#secondsOf(run);
    const [whyLeft] = run.left.values();
    const kept = { left: [...run.left.keys()], whyLeft, removed: [...run.removed], secretWarning: run.secretWarning };
    return {
      generation,
      due,
      progress: { object, startedAt, bytes, totalBytes, seconds, ...kept },
      outcome: run.ended?.outcome,
    };
  }

  /** Cancels a run. It ends soon afterwards with the outcome `cancelled`. */
  cancel(uid: string, reason: string): void {
    this.#runs.get(uid)?.stop.abort(new Error(reason));
  }

  /**
   * Cancels the run of a deleted object; the run's outcome is not needed. Resolves when the run has ended: a later run may write the same
   * object in the store, and the cleanup of this run must not delete that object.
   */
  async abandon(uid: string): Promise<void> {
    const run = this.#runs.get(uid);
    this.cancel(uid, 'the EtcdBackup is gone');
    this.#runs.delete(uid);
    await run?.task;
  }

  /** Drops an outcome that has been reported. A run that is still in progress is kept. */
  forget(uid: string): void {
    if (this.#runs.get(uid)?.ended) this.#runs.delete(uid);
  }

  async #work(run: Run, { work, onEnd }: RunRequest): Promise<void> {
    const signal = AbortSignal.any([run.stop.signal, this.#stop.signal]);
    const outcome = await this.#outcome(run, signal, work);
    run.ended = { outcome, seconds: this.#secondsOf(run) };
    onEnd();
  }

  async #outcome(run: Run, signal: AbortSignal, work: RunRequest['work']): Promise<RunOutcome> {
    try {
      const taken = await work(signal, {
        object: (key, totalBytes) => Object.assign(run, { object: key, totalBytes }),
        bytes: (bytes) => Object.assign(run, { bytes }),
        left: (key, why) => void run.left.set(key, why),
        removed: (key) => void run.removed.add(key),
        secretWarning: (message) => Object.assign(run, { secretWarning: message }),
      });
      return { kind: 'taken', taken };
    } catch (error) {
      return signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', fault: faultOf(error) };
    }
  }

  #secondsOf(run: Run): number {
    return (this.#clock.monotonic() - run.started) / 1000;
  }
}
