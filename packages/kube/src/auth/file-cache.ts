// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { configError, reasonOf } from '../config/config-error.ts';
import type { ReadFile } from '../config/in-cluster.ts';

interface Cached {
  readonly text: string;
  readonly readAt: number;
}

/**
 * Keeps the content of files that are rotated: service account tokens, certificates. Reads a file again after a minute
 * at the earliest: most requests need no disk access, and a rotation is still noticed. `forget` forces the next read.
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

  /** @param where the configuration field, for the error if the file has never been readable. */
  async read(path: string, where: string): Promise<string> {
    const cached = this.#files.get(path);
    const now = this.#clock.monotonic();
    if (cached && now - cached.readAt < this.#maxAge) return cached.text;
    try {
      const text = await this.#readFile(path);
      this.#files.set(path, { text, readAt: now });
      return text;
    } catch (cause) {
      // The rotation may be incomplete: use the last content until the API server refuses it.
      if (cached) return cached.text;
      throw configError(where, `cannot read ${path} (${reasonOf(cause)})`, cause);
    }
  }

  forget(): void {
    for (const [path, { text }] of this.#files) this.#files.set(path, { text, readAt: Number.NEGATIVE_INFINITY });
  }
}
