// SPDX-License-Identifier: Apache-2.0
import { beforeAbort } from '../call/interruptible.ts';

/**
 * The buffers of one upload. They are limited in number and reused: a caller waits until a buffer is returned. Chunks
 * are copied into them. A chunk is often a small view of a large block, and would keep the whole block in memory.
 */
export class PartBuffers {
  readonly #free: Buffer[] = [];
  #held = 0;
  #wake: () => void = () => {};

  /** Takes a buffer with exactly this size. One caller at a time. */
  async take(size: number, allowed: number, signal: AbortSignal): Promise<Buffer> {
    while (this.#held >= allowed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await beforeAbort(promise, signal);
    }
    this.#held += 1;
    // Buffers of an earlier, smaller size are no longer needed.
    const fitting = this.#free.pop();
    if (fitting?.byteLength === size) return fitting;
    this.#free.length = 0;
    return Buffer.allocUnsafeSlow(size);
  }

  /** Returns a buffer. */
  release(buffer: Buffer): void {
    this.#held -= 1;
    this.#free.push(buffer);
    this.#wake();
  }
}
