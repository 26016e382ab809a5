// SPDX-License-Identifier: Apache-2.0
import type { Clock, Timer } from '@operator-parts/ports';

/** A reconcile in progress. */
export interface Run {
  readonly request: string;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  /** True if the reconcile took too long and its worker was replaced. */
  stuck: boolean;
}

interface OwnRun extends Run {
  readonly controller: AbortController;
}

export interface RunningOptions {
  readonly clock: Clock;
  /** After this time a reconcile counts as stuck, in milliseconds. */
  readonly stuckAfter: number;
  /** After this time the signal of a reconcile is aborted, in milliseconds. */
  readonly timeout: number;
  readonly onStuck: (run: Run) => void;
  readonly onTimeout: (run: Run) => void;
}

/** The reconciles in progress, with one timer for all of them. */
export class Running {
  readonly #options: RunningOptions;
  readonly #runs = new Set<OwnRun>();
  #timer: Timer | undefined;

  constructor(options: RunningOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#runs.size;
  }

  get stuck(): number {
    let count = 0;
    for (const run of this.#runs) if (run.stuck) count++;
    return count;
  }

  begin(request: string): Run {
    const controller = new AbortController();
    const startedAt = this.#options.clock.monotonic();
    const run: OwnRun = { request, startedAt, controller, signal: controller.signal, stuck: false };
    this.#runs.add(run);
    this.#timer ??= this.#schedule(Math.min(this.#options.stuckAfter, this.#options.timeout));
    return run;
  }

  end(run: Run): void {
    this.#runs.delete(run as OwnRun);
  }

  /** Aborts all reconciles in progress. */
  abort(reason: unknown): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const run of this.#runs) run.controller.abort(reason);
  }

  #check(): void {
    const { clock, stuckAfter, timeout, onStuck, onTimeout } = this.#options;
    const now = clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const run of this.#runs) {
      const age = now - run.startedAt;
      if (!run.stuck && age >= stuckAfter) {
        run.stuck = true;
        onStuck(run);
      }
      if (!run.signal.aborted && age >= timeout) {
        run.controller.abort(new Error(`reconciliation aborted: it took longer than ${timeout} ms`));
        onTimeout(run);
      }
      if (!run.stuck) next = Math.min(next, stuckAfter - age);
      if (!run.signal.aborted) next = Math.min(next, timeout - age);
    }
    this.#timer = next === Number.POSITIVE_INFINITY ? undefined : this.#schedule(next);
  }

  #schedule(delay: number): Timer | undefined {
    if (!Number.isFinite(delay)) return undefined;
    return this.#options.clock.schedule(delay, () => this.#check(), { background: true });
  }
}
