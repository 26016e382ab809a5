// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';
import { configError, reasonOf } from '../config/config-error.ts';
import type { ReadFile } from '../config/in-cluster.ts';

interface Cached {
  readonly text: string;
  readonly readAt: number;
}

/**
 * Files that others rotate: service account tokens, certificates. Read again once a minute at most, so that neither a
 * request waits for a disk nor a rotation goes unnoticed; `forget` makes the next read a fresh one.
 */
export class FileCache {
  readonly #readFile: ReadFile;
  readonly #clock: Clock;
  readonly #maxAge: number;
  readonly #files = new Map<string, Cached>();

  constructor(options: { readonly readFile: ReadFile; readonly clock: Clock; readonly maxAge?: number }) {
    this.#readFile = options.readFile;
    this.#clock = options.clock;
    this.#maxAge = options.maxAge ?? 60_000;
  }

  /** @param where what asks, for the error if the file has never been readable. */
  async read(path: string, where: string): Promise<string> {
    const cached = this.#files.get(path);
    const now = this.#clock.monotonic();
    if (cached && now - cached.readAt < this.#maxAge) return cached.text;
    try {
      const text = await this.#readFile(path);
      this.#files.set(path, { text, readAt: now });
      return text;
    } catch (cause) {
      // A rotation that is caught halfway leaves the last good content; the server says when that is no longer enough.
      if (cached) return cached.text;
      throw configError(where, `cannot read ${path} (${reasonOf(cause)})`, cause);
    }
  }

  forget(): void {
    for (const [path, { text }] of this.#files) this.#files.set(path, { text, readAt: Number.NEGATIVE_INFINITY });
  }
}
