// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';
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
  /** When its present row of failures began. */
  failingSince: number | undefined;
}

/**
 * Work that takes longer than a look at the world, by name. It goes on beside the looks, of which each sees how it stands;
 * after a crash it is begun afresh. None outlives the process, or the object that it was begun for.
 */
export class Jobs {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #onEnd: (name: string) => void;
  readonly #jobs = new Map<string, Job>();

  /**
   * @param onEnd is told when a job has ended well that nobody has forgotten: it is time for a look. Not of a failure, after which the
   * plan says when to look again: the look after it begins the job anew, and one that fails at once would be begun without end.
   */
  constructor(clock: Clock, signal: AbortSignal, onEnd: (name: string) => void = () => undefined) {
    this.#clock = clock;
    this.#signal = signal;
    this.#onEnd = onEnd;
  }

  /** How a job stands. The caller knows what its jobs of this name give. */
  state<T>(name: string): JobState<T> {
    return (this.#jobs.get(name)?.state as JobState<T> | undefined) ?? { kind: 'idle' };
  }

  /** Begins a job, unless it runs; one that has failed is begun again. */
  start(name: string, work: (context: JobContext) => Promise<unknown>): void {
    const before = this.#jobs.get(name);
    if (before?.state.kind === 'running') return;
    const stop = new AbortController();
    const job: Job = { stop, state: { kind: 'running', bytes: 0 }, failingSince: before?.failingSince };
    this.#jobs.set(name, job);
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    const onProgress = (bytes: number) => {
      if (job.state.kind === 'running') job.state = { kind: 'running', bytes };
    };
    work({ signal, onProgress }).then(
      (value) => {
        job.state = { kind: 'done', value };
        if (this.#jobs.get(name) === job) this.#onEnd(name);
      },
      (error: unknown) => {
        job.failingSince ??= this.#clock.now();
        job.state = { kind: 'failed', ...describeFailure(error), since: job.failingSince };
      },
    );
  }

  /** Ends and forgets every job whose name begins so. */
  forget(prefix: string): void {
    for (const [name, { stop }] of this.#jobs) {
      if (!name.startsWith(prefix)) continue;
      stop.abort(new Error('nobody waits for this any more'));
      this.#jobs.delete(name);
    }
  }
}
