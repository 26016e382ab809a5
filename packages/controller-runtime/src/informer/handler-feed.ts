// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';
import { type Clock, nextTurn } from '@operator-parts/ports';
import { SynchronousWork } from '../controller/synchronous-work.ts';
import { shared } from '../store/deep-readonly.ts';
import { type Removal, removal } from '../store/removal.ts';
import { type Delta, DeltaQueue } from './delta-queue.ts';
import { type EventHandler, news, type Occasion } from './event-handler.ts';

const unknownFinalState: Removal = removal(true, false);

/**
 * Delivers changes to one handler, isolated from the others. An idle handler is called at once, without a queue. A busy
 * one (its promise has not settled) gets the merged backlog when it is free; the event loop gets its turns meanwhile.
 */
export class HandlerFeed<T extends KubeObject> {
  readonly #handler: EventHandler<T>;
  readonly #onError: (error: unknown) => void;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #backlog = new DeltaQueue<T>();
  readonly #synchronousWork = new SynchronousWork();
  #busy = false;
  #closed = false;

  constructor(handler: EventHandler<T>, onError: (error: unknown) => void, clock: Pick<Clock, 'monotonic'>) {
    this.#handler = handler;
    this.#onError = onError;
    this.#clock = clock;
  }

  /** How many objects have changes that the handler has not received. */
  get backlog(): number {
    return this.#backlog.size;
  }

  added(key: string, object: T, occasion: Occasion): void {
    if (this.#busy) {
      this.#backlog.push(key, { before: undefined, after: object, how: unknownFinalState, occasion });
      return;
    }
    try {
      if (!this.#closed) this.#track(this.#handler.added?.(shared(object), occasion));
    } catch (error) {
      this.#onError(error);
    }
  }

  updated(key: string, before: T, after: T, occasion: Occasion): void {
    if (this.#busy) {
      this.#backlog.push(key, { before, after, how: unknownFinalState, occasion });
      return;
    }
    try {
      if (!this.#closed) this.#track(this.#handler.updated?.(shared(before), shared(after), occasion));
    } catch (error) {
      this.#onError(error);
    }
  }

  removed(key: string, object: T, how: Removal): void {
    if (this.#busy) {
      this.#backlog.push(key, { before: object, after: undefined, how, occasion: news });
      return;
    }
    try {
      if (!this.#closed) this.#track(this.#handler.removed?.(shared(object), how));
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Stops the delivery. */
  close(): void {
    this.#closed = true;
  }

  #track(result: void | Promise<void>): void {
    if (result instanceof Promise) void this.#await(result);
  }

  /** Waits for the handler, then delivers the backlog. */
  async #await(running: Promise<void>): Promise<void> {
    this.#busy = true;
    await running.catch(this.#onError);
    for (let delta = this.#backlog.shift(); delta !== undefined && !this.#closed; delta = this.#backlog.shift()) {
      await this.#deliver(delta);
      if (this.#synchronousWork.isLong(this.#clock.monotonic())) await nextTurn();
    }
    this.#busy = false;
  }

  async #deliver({ before, after, how, occasion }: Delta<T>): Promise<void> {
    const handler = this.#handler;
    if (before !== undefined && after !== undefined && before.metadata?.uid === after.metadata?.uid) {
      await this.#call(() => handler.updated?.(shared(before), shared(after), occasion));
      return;
    }
    // Two separate calls: if the handler fails for the old object, it may still succeed for the new one.
    if (before !== undefined) await this.#call(() => handler.removed?.(shared(before), how));
    if (after !== undefined) await this.#call(() => handler.added?.(shared(after), occasion));
  }

  async #call(handle: () => void | Promise<void>): Promise<void> {
    try {
      if (!this.#closed) await handle();
    } catch (error) {
      this.#onError(error);
    }
  }
}
