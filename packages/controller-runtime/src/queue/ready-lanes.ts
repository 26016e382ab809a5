// SPDX-License-Identifier: Apache-2.0
import { none } from './key-index.ts';
import type { KeyTable } from './key-table.ts';
import type { Lane } from './priority.ts';

/**
 * Slots that are ready, by priority, first in first out within one: each lane is a list through the columns of the table, so that
 * a slot can be raised to a better lane from anywhere in its own.
 *
 * Nothing starves: when a slot of a worse lane has waited longer than `patience`, every other turn is its lane's.
 */
export class ReadyLanes<K> {
  readonly #table: KeyTable<K>;
  readonly #patience: number;
  readonly #first = new Int32Array(3).fill(none);
  readonly #last = new Int32Array(3).fill(none);
  #size = 0;
  #servedOverdue = false;

  constructor(table: KeyTable<K>, patience: number) {
    this.#table = table;
    this.#patience = patience;
  }

  get size(): number {
    return this.#size;
  }

  /** Puts a slot at the end of its lane. */
  push(slot: number): void {
    const lane = this.#table.laneAt(slot);
    const last = this.#last[lane] ?? none;
    if (last < 0) this.#first[lane] = slot;
    else this.#table.next[last] = slot;
    this.#table.previous[slot] = last;
    this.#table.next[slot] = none;
    this.#last[lane] = slot;
    this.#size++;
  }

  /** Moves a waiting slot to the end of a better lane. */
  raise(slot: number, lane: Lane): void {
    this.#remove(slot);
    this.#table.setLane(slot, lane);
    this.push(slot);
  }

  /** The next slot to be served at monotonic time `now`, or `none`. */
  shift(now: number): number {
    if (this.#size === 0) return none;
    const overdue = this.#servedOverdue ? none : this.#overdue(now);
    this.#servedOverdue = overdue >= 0;
    const slot = overdue >= 0 ? overdue : this.#best();
    this.#remove(slot);
    return slot;
  }

  clear(): void {
    this.#first.fill(none);
    this.#last.fill(none);
    this.#size = 0;
  }

  /** The table was compacted. */
  renumber(renumbered: Int32Array): void {
    for (const ends of [this.#first, this.#last]) {
      for (const [lane, slot] of ends.entries()) ends[lane] = renumbered[slot] ?? none;
    }
  }

  #best(): number {
    for (let lane = 0; lane < 2; lane++) {
      const first = this.#first[lane] ?? none;
      if (first >= 0) return first;
    }
    return this.#first[2] ?? none;
  }

  #overdue(now: number): number {
    for (let lane = 2; lane > 0; lane--) {
      const first = this.#first[lane] ?? none;
      if (first >= 0 && now - this.#table.since(first) > this.#patience) return first;
    }
    return none;
  }

  #remove(slot: number): void {
    const { next, previous } = this.#table;
    const lane = this.#table.laneAt(slot);
    const before = previous[slot] ?? none;
    const after = next[slot] ?? none;
    if (before < 0) this.#first[lane] = after;
    else next[before] = after;
    if (after < 0) this.#last[lane] = before;
    else previous[after] = before;
    this.#size--;
  }
}
