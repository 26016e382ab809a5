// SPDX-License-Identifier: Apache-2.0
import { none } from './key-index.ts';
import type { KeyTable } from './key-table.ts';

/**
 * Delayed slots in order of due time: a binary heap in which each slot knows its place, so that moving or removing one
 * takes logarithmic time, and one timer is enough for all. A slot that is not delayed uses no memory for times.
 */
export class TimerHeap<K> {
  readonly #table: KeyTable<K>;
  readonly #slots: number[] = [];
  readonly #due: number[] = [];
  /** Breaks ties, so that equal delays end in the order they began. */
  readonly #order: number[] = [];
  #scheduled = 0;

  constructor(table: KeyTable<K>) {
    this.#table = table;
  }

  get size(): number {
    return this.#slots.length;
  }

  /** When the first slot is due; infinite if there is none. */
  get firstDue(): number {
    return this.#due[0] ?? Number.POSITIVE_INFINITY;
  }

  /** The slot that is due first, or `none`. */
  peek(): number {
    return this.#slots[0] ?? none;
  }

  /** When a slot is due; infinite if it is not in the heap. */
  dueOf(slot: number): number {
    return this.#due[this.#placeOf(slot)] ?? Number.POSITIVE_INFINITY;
  }

  /** Adds a slot, or moves it if it is in the heap already. */
  schedule(slot: number, due: number): void {
    const order = this.#scheduled++;
    const place = this.#placeOf(slot);
    if (place < 0) this.#up(this.#slots.length, slot, due, order);
    else this.#settle(place, slot, due, order);
  }

  /** Removes a slot; does nothing if it is not in the heap. */
  remove(slot: number): void {
    const index = this.#placeOf(slot);
    if (index < 0) return;
    this.#table.place[slot] = none;
    const last = this.#slots.pop();
    const due = this.#due.pop();
    const order = this.#order.pop();
    if (last === undefined || due === undefined || order === undefined || last === slot) return;
    this.#settle(index, last, due, order);
  }

  clear(): void {
    for (const slot of this.#slots) this.#table.place[slot] = none;
    this.#slots.length = 0;
    this.#due.length = 0;
    this.#order.length = 0;
  }

  /** Call it after the table was compacted. The places in the heap are unchanged. */
  renumber(renumbered: Int32Array): void {
    for (const [index, slot] of this.#slots.entries()) this.#slots[index] = renumbered[slot] ?? none;
  }

  #placeOf(slot: number): number {
    return this.#table.place[slot] ?? none;
  }

  /** Moves a slot up or down from a free place to where it belongs. */
  #settle(index: number, slot: number, due: number, order: number): void {
    if (index > 0 && this.#isBefore(due, order, (index - 1) >> 1)) this.#up(index, slot, due, order);
    else this.#down(index, slot, due, order);
  }

  #up(from: number, slot: number, due: number, order: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(due, order, parent)) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#place(index, slot, due, order);
  }

  #down(from: number, slot: number, due: number, order: number): void {
    let index = from;
    for (;;) {
      const child = this.#firstChild(index);
      if (child < 0 || this.#isBefore(due, order, child)) break;
      this.#move(child, index);
      index = child;
    }
    this.#place(index, slot, due, order);
  }

  /** The child of a place that is due first, or -1. */
  #firstChild(index: number): number {
    const left = 2 * index + 1;
    if (left >= this.#slots.length) return -1;
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
    const slot = this.#slots[from];
    if (slot !== undefined) this.#place(to, slot, this.#due[from] ?? 0, this.#order[from] ?? 0);
  }

  #place(index: number, slot: number, due: number, order: number): void {
    this.#slots[index] = slot;
    this.#due[index] = due;
    this.#order[index] = order;
    this.#table.place[slot] = index;
  }
}
