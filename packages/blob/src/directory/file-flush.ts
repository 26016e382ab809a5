// SPDX-License-Identifier: Apache-2.0
import type { FileHandle } from 'node:fs/promises';

/** Large enough for efficient disk writes, small enough that little is left at the end. */
const flushBytes = 32 * 1024 * 1024;

/**
 * Syncs a file while it is still being written, so that the final sync is short.
 *
 * A failure is kept: the system reports only once that it could not write a page, and the next sync would succeed
 * although data is missing.
 */
export class FileFlush {
  readonly #handle: Pick<FileHandle, 'datasync' | 'sync'>;
  #unflushed = 0;
  #running: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(handle: Pick<FileHandle, 'datasync' | 'sync'>) {
    this.#handle = handle;
  }

  /** Counts written bytes; starts a sync when there are many and none is in progress. Throws if a sync has failed. */
  written(bytes: number): void {
    this.#throwIfFailed();
    this.#unflushed += bytes;
    if (this.#running || this.#unflushed < flushBytes) return;
    this.#unflushed = 0;
    void this.#run(this.#handle.datasync());
  }

  /** Resolves when all written data and the file's length are on the disk; rejects if that is not certain. */
  async finish(): Promise<void> {
    await this.settled();
    this.#throwIfFailed();
    await this.#run(this.#handle.sync());
    this.#throwIfFailed();
  }

  /** Resolves when no sync is in progress any more. */
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
