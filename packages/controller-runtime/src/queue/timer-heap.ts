// SPDX-License-Identifier: Apache-2.0
import type { QueueEntry } from './queue-entry.ts';

/**
 * Delayed entries in order of `due`: a binary heap in which each entry knows its place, so that moving or removing one costs
 * the logarithm of the size and any number of delays need one timer.
 */
export class TimerHeap<K> {
  readonly #entries: QueueEntry<K>[] = [];
  #order = 0;

  get size(): number {
    return this.#entries.length;
  }

  peek(): QueueEntry<K> | undefined {
    return this.#entries[0];
  }

  /** Adds an entry, or moves one that is in the heap already. */
  schedule(entry: QueueEntry<K>, due: number): void {
    const isLater = entry.heapIndex >= 0 && due >= entry.due;
    entry.due = due;
    entry.order = this.#order++;
    if (entry.heapIndex < 0) {
      entry.heapIndex = this.#entries.length;
      this.#entries.push(entry);
    }
    if (isLater) this.#down(entry);
    else this.#up(entry);
  }

  /** Takes an entry out; nothing happens if it is not in. */
  remove(entry: QueueEntry<K>): void {
    const index = entry.heapIndex;
    if (index < 0) return;
    const last = this.#entries.pop();
    entry.heapIndex = -1;
    if (last === undefined || last === entry) return;
    this.#place(last, index);
    this.#up(last);
    this.#down(last);
  }

  clear(): void {
    for (const entry of this.#entries) entry.heapIndex = -1;
    this.#entries.length = 0;
  }

  [Symbol.iterator](): IterableIterator<QueueEntry<K>> {
    return this.#entries[Symbol.iterator]();
  }

  #up(entry: QueueEntry<K>): void {
    while (entry.heapIndex > 0) {
      const parent = this.#entries[(entry.heapIndex - 1) >> 1];
      if (parent === undefined || !before(entry, parent)) return;
      this.#swap(entry, parent);
    }
  }

  #down(entry: QueueEntry<K>): void {
    for (;;) {
      const left = this.#entries[entry.heapIndex * 2 + 1];
      const right = this.#entries[entry.heapIndex * 2 + 2];
      const child = right !== undefined && left !== undefined && before(right, left) ? right : left;
      if (child === undefined || !before(child, entry)) return;
      this.#swap(entry, child);
    }
  }

  #swap(one: QueueEntry<K>, other: QueueEntry<K>): void {
    const index = one.heapIndex;
    this.#place(one, other.heapIndex);
    this.#place(other, index);
  }

  #place(entry: QueueEntry<K>, index: number): void {
    this.#entries[index] = entry;
    entry.heapIndex = index;
  }
}

function before(one: QueueEntry<unknown>, other: QueueEntry<unknown>): boolean {
  return one.due < other.due || (one.due === other.due && one.order < other.order);
}
