// SPDX-License-Identifier: Apache-2.0
import type { Container } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { ContainerRuntime } from '../../runtime/container-runtime.ts';
import { runHook } from './lifecycle-hook.ts';

/** After a preStop hook a program gets at least this long to exit, in milliseconds. */
const leastGrace = 2000;

/**
 * Stops one run: the preStop hook and SIGTERM within the grace period, then SIGKILL. The grace period can be shortened
 * while it runs, as when a pod is deleted again with a shorter one.
 */
export class ContainerStop {
  readonly #clock: Clock;
  readonly #expiry = new AbortController();
  readonly #begun: number;
  #deadline: number;

  constructor(clock: Clock, graceSeconds: number) {
    this.#clock = clock;
    this.#begun = clock.monotonic();
    this.#deadline = this.#begun + graceSeconds * 1000;
  }

  /** Shortens the grace period, which counts from the beginning of the stop. A longer period has no effect. */
  shorten(graceSeconds: number): void {
    const deadline = this.#begun + graceSeconds * 1000;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    this.#expiry.abort();
  }

  /** Resolves when the last signal has been sent or the run has ended (`ended` is aborted then). Never rejects. */
  async run(options: {
    readonly runtime: ContainerRuntime;
    readonly container: Container;
    readonly runId: string;
    readonly podIp: string;
    readonly ended: AbortSignal;
    readonly hookFailed: () => void;
  }): Promise<void> {
    const { runtime, container, runId, podIp, ended } = options;
    const handler = container.lifecycle?.preStop;
    if (handler && this.#left() > 0) {
      const hook = { handler, container, runId, podIp, runtime, clock: this.#clock, timeoutMilliseconds: this.#left() };
      const outcome = runHook(hook).catch(() => options.hookFailed());
      await Promise.race([outcome, this.#wait(ended, this.#left())]);
      this.#deadline = Math.max(this.#deadline, this.#clock.monotonic() + leastGrace);
    }
    if (ended.aborted) return;
    await this.#send(runtime, runId, stopSignal(container));
    while (!ended.aborted && this.#left() > 0) await this.#wait(ended, this.#left());
    if (!ended.aborted) await this.#send(runtime, runId, 'SIGKILL');
  }

  #left(): number {
    return this.#deadline - this.#clock.monotonic();
  }

  /** Waits. Ends early if the run ends or the grace period is shortened. */
  async #wait(ended: AbortSignal, milliseconds: number): Promise<void> {
    const signal = this.#expiry.signal.aborted ? ended : AbortSignal.any([ended, this.#expiry.signal]);
    await this.#clock.sleep(milliseconds, signal).catch(() => undefined);
  }

  async #send(runtime: ContainerRuntime, runId: string, signal: NodeJS.Signals): Promise<void> {
    // Nothing to do after an error: the runtime has ended, and with it the run.
    await runtime.signalContainer(runId, signal).catch(() => undefined);
  }
}

function stopSignal(container: Container): NodeJS.Signals {
  return (container.lifecycle?.stopSignal as NodeJS.Signals | undefined) ?? 'SIGTERM';
}
