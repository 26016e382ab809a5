// SPDX-License-Identifier: Apache-2.0
import type { QueueEntry } from './queue-entry.ts';

/**
 * Delayed entries in order of the time at which they are due: a binary heap in which each entry knows its place, so that moving or
 * removing one costs the logarithm of the size and any number of delays need one timer. Times are kept beside the entries, in
 * arrays of numbers: comparing touches no entry, and an entry that is not delayed does not pay for them.
 */
export class TimerHeap<K> {
  readonly #entries: QueueEntry<K>[] = [];
  readonly #due: number[] = [];
  /** Breaks ties, so that equal delays end in the order they began. */
  readonly #order: number[] = [];
  #scheduled = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** When the first entry is due; never if there is none. */
  get firstDue(): number {
    return this.#due[0] ?? Number.POSITIVE_INFINITY;
  }

  peek(): QueueEntry<K> | undefined {
    return this.#entries[0];
  }

  /** When an entry is due; never if it is not in. */
  dueOf(entry: QueueEntry<K>): number {
    return this.#due[entry.heapIndex] ?? Number.POSITIVE_INFINITY;
  }

  /** Adds an entry, or moves one that is in the heap already. */
  schedule(entry: QueueEntry<K>, due: number): void {
    const order = this.#scheduled++;
    if (entry.heapIndex < 0) this.#up(this.#entries.length, entry, due, order);
    else this.#settle(entry.heapIndex, entry, due, order);
  }

  /** Takes an entry out; nothing happens if it is not in. */
  remove(entry: QueueEntry<K>): void {
    const index = entry.heapIndex;
    if (index < 0) return;
    entry.heapIndex = -1;
    const last = this.#entries.pop();
    const due = this.#due.pop();
    const order = this.#order.pop();
    if (last === undefined || due === undefined || order === undefined || last === entry) return;
    this.#settle(index, last, due, order);
  }

  clear(): void {
    for (const entry of this.#entries) entry.heapIndex = -1;
    this.#entries.length = 0;
    this.#due.length = 0;
    this.#order.length = 0;
  }

  /** Puts an entry where it belongs, upwards or downwards of a place that is free. */
  #settle(index: number, entry: QueueEntry<K>, due: number, order: number): void {
    if (index > 0 && this.#isBefore(due, order, (index - 1) >> 1)) this.#up(index, entry, due, order);
    else this.#down(index, entry, due, order);
  }

  #up(from: number, entry: QueueEntry<K>, due: number, order: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(due, order, parent)) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#place(index, entry, due, order);
  }

  #down(from: number, entry: QueueEntry<K>, due: number, order: number): void {
    let index = from;
    for (;;) {
      const child = this.#firstChild(index);
      if (child < 0 || this.#isBefore(due, order, child)) break;
      this.#move(child, index);
      index = child;
    }
    this.#place(index, entry, due, order);
  }

  /** The child of a place that is due first, or -1. */
  #firstChild(index: number): number {
    const left = 2 * index + 1;
    if (left >= this.#entries.length) return -1;
    const right = left + 1;
    const rightDue = this.#due[right];
    const rightOrder = this.#order[right];
    if (rightDue === undefined || rightOrder === undefined) return left;
    return this.#isBefore(rightDue, rightOrder, left) ? right : left;
  }

  #isBefore(due: number, order: number, index: number): boolean {
    const otherDue = this.#due[index] ?? 0;
    return due < otherDue || (due === otherDue && order < (this.#order[index] ?? 0));
  }

  #move(from: number, to: number): void {
    const entry = this.#entries[from];
    if (entry) this.#place(to, entry, this.#due[from] ?? 0, this.#order[from] ?? 0);
  }

  #place(index: number, entry: QueueEntry<K>, due: number, order: number): void {
    this.#entries[index] = entry;
    this.#due[index] = due;
    this.#order[index] = order;
    entry.heapIndex = index;
  }
}
