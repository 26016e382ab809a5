// SPDX-License-Identifier: Apache-2.0
import { beforeAbort } from '../call/interruptible.ts';

/**
 * The buffers of one upload. There are never more than allowed; whoever wants one waits until another is given back. They are made once
 * and used again, because the small chunks of a stream keep the big blocks alive that they were cut from: copied, they can go.
 */
export class PartBuffers {
  readonly #free: Buffer[] = [];
  #held = 0;
  #wake: () => void = () => {};

  /** Takes a buffer of exactly this size. One taker at a time. */
  async take(size: number, allowed: number, signal: AbortSignal): Promise<Buffer> {
    while (this.#held >= allowed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await beforeAbort(promise, signal);
    }
    this.#held += 1;
    // Buffers of an earlier, smaller size are of no use any more.
    const fitting = this.#free.pop();
    if (fitting?.byteLength === size) return fitting;
    this.#free.length = 0;
    return Buffer.allocUnsafeSlow(size);
  }

  /** Gives a buffer back. */
  release(buffer: Buffer): void {
    this.#held -= 1;
    this.#free.push(buffer);
    this.#wake();
  }
}
