// SPDX-License-Identifier: Apache-2.0
import type { FileHandle } from 'node:fs/promises';

/** Enough for the disk to work in long strokes, little enough that hardly anything is left to do at the end. */
const flushBytes = 32 * 1024 * 1024;

/**
 * Forces a file to the disk while it is still being written, so that at its end nobody waits for all of it.
 *
 * A failure stays one: the system tells of bytes that it could not write once, and would say at the next time that all is well.
 */
export class FileFlush {
  readonly #handle: Pick<FileHandle, 'datasync' | 'sync'>;
  #unflushed = 0;
  #running: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(handle: Pick<FileHandle, 'datasync' | 'sync'>) {
    this.#handle = handle;
  }

  /** Counts bytes that were written; begins a flush when there are many and none is under way. Throws if one has failed. */
  written(bytes: number): void {
    this.#throwIfFailed();
    this.#unflushed += bytes;
    if (this.#running || this.#unflushed < flushBytes) return;
    this.#unflushed = 0;
    void this.#run(this.#handle.datasync());
  }

  /** Resolves when all that was written, and the file's length, are on the disk; rejects if that is not sure. */
  async finish(): Promise<void> {
    await this.settled();
    this.#throwIfFailed();
    await this.#run(this.#handle.sync());
    this.#throwIfFailed();
  }

  /** Resolves when no flush is under way any more, however it ended. */
  async settled(): Promise<void> {
    await this.#running;
  }

  #run(flush: Promise<void>): Promise<void> {
    this.#running = flush
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  #throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
