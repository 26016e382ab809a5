// SPDX-License-Identifier: Apache-2.0
import { whenAborted } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { TransferSemaphore } from '../transfers/transfer-semaphore.ts';
import type { JobState } from './observation.ts';
import { describeFailure } from './restore-error.ts';

/** What a job gets: a signal that ends it, and a way to report its progress. */
export interface JobContext {
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
  /** Called with the reason when the job itself retries a part of its work. */
  readonly onTrouble?: (why: string) => void;
}

/** The semaphore from which a job needs a permit, and the namespace that the job counts for. */
export interface Line {
  readonly semaphore: TransferSemaphore;
  readonly namespace: string;
}

interface Job {
  readonly stop: AbortController;
  /** Resolves when the job has ended. */
  task: Promise<void>;
  state: JobState<unknown>;
  /**
   * The current series of failures. `since`: when the series began. `alike`: when the failures with the present `limit` began. Times are of
   * the monotonic clock.
   */
  failing: { readonly since: number; readonly alike: number; readonly limit: number | undefined } | undefined;
  /** When the job failed. */
  failedAt: number | undefined;
  /** Why the previous attempt failed. */
  readonly lastFailure: string | undefined;
}

const shortestPause = 1_000;

/**
 * Jobs that take longer than a reconciliation, by name. They run in the background, and each reconciliation reads their state. After a
 * crash they start from the beginning. No job outlives the lease, the process, or the object that it was started for.
 */
export class Jobs {
  readonly name: string;
  readonly needsLeader = true;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #onEnd: (name: string) => void;
  readonly #jobs = new Map<string, Job>();
  readonly #tasks = new Set<Promise<void>>();

  /**
   * @param onEnd called when a job has succeeded and was not forgotten, so that its object is reconciled at once. Not called after a
   * failure: the plan says when to reconcile again, because a reconciliation restarts the job, and a job that fails immediately would be
   * restarted in a loop.
   */
  constructor(clock: Clock, onEnd: (name: string) => void = () => undefined, name = 'jobs of restores') {
    this.name = name;
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** When the manager stops or the lease is lost, ends all jobs and waits until they have ended. */
  async run(signal: AbortSignal): Promise<void> {
    await whenAborted(signal);
    this.#stop.abort(signal.reason);
    await Promise.all(this.#tasks);
  }

  /** The state of a job. The caller knows the result type of its jobs. */
  state<T>(name: string): JobState<T> {
    const job = this.#jobs.get(name);
    if (!job) return { kind: 'idle' };
    const state = job.state as JobState<T>;
    if (state.kind === 'running' || state.kind === 'waiting')
      return { ...state, lastFailure: state.lastFailure ?? job.lastFailure };
    if (state.kind !== 'failed' || job.failing === undefined) return state;
    const { since, alike, limit } = job.failing;
    // `failingFor` counts from the first failure of the series, but a limit counts from the first failure with that limit. So the
    // difference is added to the limit.
    const told = limit === undefined ? {} : { limit: limit + alike - since };
    return { ...state, ...told, failingFor: this.#clock.monotonic() - since };
  }

  /** Starts a job, unless it is running; a failed job is started again. If `line` is given, the job first waits for a permit. */
  start(name: string, work: (context: JobContext) => Promise<unknown>, line?: Line): void {
    const before = this.#jobs.get(name);
    const isUnderWay = before?.state.kind === 'running' || before?.state.kind === 'waiting';
    if (isUnderWay || this.#stop.signal.aborted || this.#hasJustFailed(before)) return;
    const stop = new AbortController();
    const task = Promise.resolve();
    const lastFailure = before?.state.kind === 'failed' ? before.state.why : undefined;
    const { failing } = before ?? {};
    const job: Job = { stop, task, state: { kind: 'running', bytes: 0 }, failing, failedAt: undefined, lastFailure };
    if (line) job.state = { kind: 'waiting', ahead: line.semaphore.taken };
    this.#jobs.set(name, job);
    const begun = this.#work(name, job, work, line).finally(() => this.#tasks.delete(begun));
    job.task = begun;
    this.#tasks.add(begun);
  }

  /**
   * If a job fails with a different text each time, each failure is written to the status and causes a reconciliation. That reconciliation
   * must not restart the job at once.
   */
  #hasJustFailed(job: Job | undefined): boolean {
    return job?.failedAt !== undefined && this.#clock.monotonic() - job.failedAt < shortestPause;
  }

  async #work(
    name: string,
    job: Job,
    work: (context: JobContext) => Promise<unknown>,
    line: Line | undefined,
  ): Promise<void> {
    const signal = AbortSignal.any([this.#stop.signal, job.stop.signal]);
    const onProgress = (bytes: number) => {
      if (job.state.kind === 'running') job.state = { ...job.state, bytes };
    };
    const onTrouble = (lastFailure: string) => {
      if (job.state.kind === 'running') job.state = { ...job.state, lastFailure };
    };
    try {
      using _permit = line && (await line.semaphore.take(line.namespace, signal));
      job.state = { kind: 'running', bytes: 0 };
      job.state = { kind: 'done', value: await work({ signal, onProgress, onTrouble }) };
      if (this.#jobs.get(name) === job) this.#onEnd(name);
    } catch (error) {
      const failure = describeFailure(error);
      const now = this.#clock.monotonic();
      const { since = now, alike = now, limit } = job.failing ?? {};
      job.failing = { since, alike: limit === failure.limit ? alike : now, limit: failure.limit };
      job.failedAt = now;
      job.state = { kind: 'failed', ...failure, failingFor: 0 };
    }
  }

  /**
   * Ends and forgets every job whose name begins with the prefix, except those whose name begins with `except`. The jobs are forgotten at
   * once. Resolves when they have ended, so that they do not overlap with later jobs.
   */
  async forget(prefix: string, except?: string): Promise<void> {
    const ended: Promise<void>[] = [];
    for (const [name, { stop, task }] of this.#jobs) {
      if (!name.startsWith(prefix) || (except !== undefined && name.startsWith(except))) continue;
      stop.abort(new Error('the job is no longer needed'));
      this.#jobs.delete(name);
      ended.push(task);
    }
    await Promise.all(ended);
  }
}

/** Names of jobs begin with the namespace and the name of their object. Neither contains a slash. */
export function objectOfJob(job: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = job.split('/');
  return { namespace, name };
}
