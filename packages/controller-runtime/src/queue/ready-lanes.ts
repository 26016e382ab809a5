// SPDX-License-Identifier: Apache-2.0
import { type Lane, newEntry, type QueueEntry } from './queue-entry.ts';
import { Ring } from './ring.ts';

/**
 * Entries that are ready, by priority, first in first out within one. An entry can be raised to a better lane while it waits.
 *
 * Nothing starves: when an entry of a worse lane has waited longer than `patience`, every other turn is its lane's.
 */
export class ReadyLanes<K> {
  readonly #lanes = [new Ring<QueueEntry<K>>(), new Ring<QueueEntry<K>>(), new Ring<QueueEntry<K>>()] as const;
  readonly #patience: number;
  #size = 0;
  #servedOverdue = false;

  constructor(patience: number) {
    this.#patience = patience;
  }

  get size(): number {
    return this.#size;
  }

  push(entry: QueueEntry<K>): void {
    this.#lanes[entry.lane].push(entry);
    this.#size++;
  }

  /** Moves a waiting entry to a better lane. Returns the entry that stands for the key from now on. */
  raise(entry: QueueEntry<K>, lane: Lane): QueueEntry<K> {
    const raised = newEntry(entry.key, lane);
    raised.ready = true;
    raised.since = entry.since;
    entry.abandoned = true;
    this.#size--;
    this.push(raised);
    this.#sweep(this.#lanes[entry.lane]);
    return raised;
  }

  /** The next entry to be served at monotonic time `now`. */
  shift(now: number): QueueEntry<K> | undefined {
    if (this.#size === 0) return undefined;
    const overdue = this.#servedOverdue ? undefined : this.#overdue(now);
    this.#servedOverdue = overdue !== undefined;
    return (
      (overdue && this.#take(overdue)) ??
      this.#take(this.#lanes[0]) ??
      this.#take(this.#lanes[1]) ??
      this.#take(this.#lanes[2])
    );
  }

  clear(): void {
    for (const ring of this.#lanes) ring.clear();
    this.#size = 0;
  }

  #take(ring: Ring<QueueEntry<K>>): QueueEntry<K> | undefined {
    for (let entry = ring.shift(); entry !== undefined; entry = ring.shift()) {
      if (entry.abandoned) continue;
      this.#size--;
      return entry;
    }
    return undefined;
  }

  #overdue(now: number): Ring<QueueEntry<K>> | undefined {
    for (let lane: Lane = 2; lane > 0; lane = lane === 2 ? 1 : 0) {
      const ring = this.#lanes[lane];
      while (ring.peek()?.abandoned) ring.shift();
      const first = ring.peek();
      if (first !== undefined && now - first.since > this.#patience) return ring;
    }
    return undefined;
  }

  /** What raised entries left behind is dropped before it outnumbers the rest. */
  #sweep(ring: Ring<QueueEntry<K>>): void {
    if (ring.length > 2 * this.#size + 64) ring.retain((entry) => !entry.abandoned);
  }
}
