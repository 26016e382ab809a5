// SPDX-License-Identifier: Apache-2.0
import type { Change } from './stored-object.ts';

/**
 * The changes since the last compaction, in order of version. Limited by count and age; older changes can no longer be
 * watched or read.
 */
export class ChangeLog {
  #changes: Change[] = [];
  #head = 0;
  #compacted = 0;
  readonly #limit: number;
  readonly #maxAge: number;

  constructor(limit: number, maxAge: number) {
    this.#limit = limit;
    this.#maxAge = maxAge;
  }

  /** Versions up to this one are compacted. */
  get compacted(): number {
    return this.#compacted;
  }

  append(change: Change): void {
    this.#changes.push(change);
    const tooMany = this.#changes.length - this.#head > this.#limit;
    const oldest = this.#changes[this.#head];
    if (tooMany || (oldest && change.time - oldest.time > this.#maxAge)) this.#dropOldest(change.time);
  }

  /** Compacts every change up to and including `revision`. */
  compact(revision: number): void {
    this.#compacted = Math.max(this.#compacted, revision);
    this.#head = this.#indexAfter(this.#compacted);
    this.#trim();
  }

  /** The changes after `revision`, oldest first. */
  after(revision: number): readonly Change[] {
    return this.#changes.slice(this.#indexAfter(revision));
  }

  #dropOldest(now: number): void {
    while (this.#head < this.#changes.length) {
      const oldest = this.#changes[this.#head] as Change;
      const count = this.#changes.length - this.#head;
      if (count <= this.#limit && now - oldest.time <= this.#maxAge) break;
      this.#compacted = oldest.revision;
      this.#head++;
    }
    this.#trim();
  }

  #trim(): void {
    // Done only if more than half has been dropped, so that copying the rest costs no more than the dropping did.
    if (this.#head > 1024 && this.#head * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#head);
      this.#head = 0;
    }
  }

  #indexAfter(revision: number): number {
    let low = this.#head;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle] as Change).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
