// SPDX-License-Identifier: Apache-2.0
import type { FileHandle } from 'node:fs/promises';

const batchBytes = 1024 * 1024;

/**
 * Writes a file sequentially in large pieces. One piece is written while the next is collected, so that the caller does not wait for the
 * disk. It uses the memory of two pieces. A disk error is thrown by a later call.
 */
export class WriteBehind {
  readonly #handle: FileHandle;
  /** Called once with every whole piece before it is written. */
  readonly #onBatch: ((batch: Uint8Array) => void) | undefined;
  #batch = Buffer.allocUnsafeSlow(batchBytes);
  #spare = Buffer.allocUnsafeSlow(batchBytes);
  #filled = 0;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(handle: FileHandle, onBatch?: (batch: Uint8Array) => void) {
    this.#handle = handle;
    this.#onBatch = onBatch;
  }

  /** Adds bytes. They are copied, so the caller may overwrite them afterwards. Undefined if there is nothing to wait for. */
  write(piece: Uint8Array): Promise<void> | undefined {
    const room = batchBytes - this.#filled;
    if (piece.byteLength < room) {
      this.#batch.set(piece, this.#filled);
      this.#filled += piece.byteLength;
      return undefined;
    }
    return this.#writeOn(piece);
  }

  /** Resolves when the operating system has every byte. The file stays open. */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#underWay;
  }

  async #writeOn(piece: Uint8Array): Promise<void> {
    for (let from = 0; from < piece.byteLength; ) {
      const part = piece.subarray(from, from + batchBytes - this.#filled);
      this.#batch.set(part, this.#filled);
      this.#filled += part.byteLength;
      from += part.byteLength;
      if (this.#filled === batchBytes) await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    await this.#underWay;
    const batch = this.#batch.subarray(0, this.#filled);
    [this.#batch, this.#spare] = [this.#spare, this.#batch];
    this.#filled = 0;
    this.#underWay = this.#handle.writeFile(batch);
    // The next call throws the error.
    this.#underWay.catch(() => undefined);
    this.#onBatch?.(batch);
  }
}
