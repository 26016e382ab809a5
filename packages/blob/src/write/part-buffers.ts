// SPDX-License-Identifier: Apache-2.0
import { beforeAbort } from '../call/interruptible.ts';

/**
 * The buffers of one upload, limited in number; a caller waits until another one is returned. They are reused. Chunks
 * are copied into them, because a small chunk keeps the large block alive of which it is a view.
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
