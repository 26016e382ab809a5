// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';
import type { Turns } from '../backup/take/turns.ts';
import type { JobState } from './observation.ts';
import { describeFailure } from './restore-error.ts';

/** What a job is given: a signal that ends it, and where it says how far it has come. */
export interface JobContext {
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
}

interface Job {
  readonly stop: AbortController;
  state: JobState<unknown>;
  /** When its present row of failures began, by the monotonic clock. */
  failingSince: number | undefined;
}

/**
 * Work that takes longer than a look at the world, by name. It goes on beside the looks, of which each sees how it stands;
 * after a crash it is begun afresh. None outlives the lease, the process, or the object that it was begun for.
 */
export class Jobs {
  readonly name = 'jobs of restores';
  readonly needsLeader = true;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #onEnd: (name: string) => void;
  readonly #jobs = new Map<string, Job>();
  readonly #tasks = new Set<Promise<void>>();

  /**
   * @param onEnd is told when a job has ended well that nobody has forgotten: it is time for a look. Not of a failure, after which the
   * plan says when to look again: the look after it begins the job anew, and one that fails at once would be begun without end.
   */
  constructor(clock: Clock, onEnd: (name: string) => void = () => undefined) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** Ends all jobs with the manager, or with the loss of the lease, and waits until they have ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (!signal.aborted) await promise;
    this.#stop.abort(signal.reason);
    await Promise.all(this.#tasks);
  }

  /** How a job stands. The caller knows what its jobs of this name give. */
  state<T>(name: string): JobState<T> {
    const job = this.#jobs.get(name);
    if (!job) return { kind: 'idle' };
    const state = job.state as JobState<T>;
    if (state.kind !== 'failed' || job.failingSince === undefined) return state;
    return { ...state, failingFor: this.#clock.monotonic() - job.failingSince };
  }

  /** Begins a job, unless it is under way; one that has failed is begun again. With turns, it waits for its own. */
  start(name: string, work: (context: JobContext) => Promise<unknown>, turns?: Turns): void {
    const before = this.#jobs.get(name);
    const isUnderWay = before?.state.kind === 'running' || before?.state.kind === 'waiting';
    if (isUnderWay || this.#stop.signal.aborted) return;
    const stop = new AbortController();
    const job: Job = { stop, state: { kind: 'running', bytes: 0 }, failingSince: before?.failingSince };
    if (turns) job.state = { kind: 'waiting', ahead: turns.taken };
    this.#jobs.set(name, job);
    const task = this.#work(name, job, work, turns).finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  async #work(
    name: string,
    job: Job,
    work: (context: JobContext) => Promise<unknown>,
    turns: Turns | undefined,
  ): Promise<void> {
    const signal = AbortSignal.any([this.#stop.signal, job.stop.signal]);
    const onProgress = (bytes: number) => {
      if (job.state.kind === 'running') job.state = { kind: 'running', bytes };
    };
    try {
      using _turn = turns && (await turns.take(signal));
      job.state = { kind: 'running', bytes: 0 };
      job.state = { kind: 'done', value: await work({ signal, onProgress }) };
      if (this.#jobs.get(name) === job) this.#onEnd(name);
    } catch (error) {
      job.failingSince ??= this.#clock.monotonic();
      job.state = { kind: 'failed', ...describeFailure(error), failingFor: 0 };
    }
  }

  /** Ends and forgets every job whose name begins so, but for those whose name begins with `except`. */
  forget(prefix: string, except?: string): void {
    for (const [name, { stop }] of this.#jobs) {
      if (!name.startsWith(prefix) || (except !== undefined && name.startsWith(except))) continue;
      stop.abort(new Error('nobody waits for this any more'));
      this.#jobs.delete(name);
    }
  }
}
