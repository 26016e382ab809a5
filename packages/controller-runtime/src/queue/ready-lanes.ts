// SPDX-License-Identifier: Apache-2.0
import { none } from './key-index.ts';
import type { KeyTable } from './key-table.ts';
import type { Lane } from './priority.ts';
import type { TenantLine } from './tenant.ts';
import { TenantRound } from './tenant-round.ts';

const lanes: readonly Lane[] = [0, 1, 2];

/**
 * Ready slots by priority. Within a priority, tenants take turns; within a tenant, first in, first out. Each such line
 * is a linked list in the columns of the table, so that a slot can be moved to a better lane from any position.
 *
 * No starvation: if the next slot of a worse lane has waited longer than `patience`, that lane gets every other turn.
 */
export class ReadyLanes<K> {
  readonly #table: KeyTable<K>;
  readonly #patience: number;
  readonly #rounds = [new TenantRound(), new TenantRound(), new TenantRound()] as const;
  #size = 0;
  #servedOverdue = false;

  constructor(table: KeyTable<K>, patience: number) {
    this.#table = table;
    this.#patience = patience;
  }

  get size(): number {
    return this.#size;
  }

  /** Puts a slot at the end of its tenant's line. */
  push(slot: number): void {
    const lane = this.#table.laneAt(slot);
    const line = this.#table.tenantAt(slot).lines[lane];
    if (line.last < 0) {
      line.first = slot;
      this.#rounds[lane].append(line);
    } else this.#table.next[line.last] = slot;
    this.#table.previous[slot] = line.last;
    this.#table.next[slot] = none;
    line.last = slot;
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
    const overdue = this.#servedOverdue ? undefined : this.#overdue(now);
    this.#servedOverdue = overdue !== undefined;
    return this.#serve(overdue ?? this.#best());
  }

  /** The next slot of a tenant that has nothing in progress, or `none`. `patience` applies here too. */
  shiftNewcomer(now: number): number {
    const newcomers = lanes.map((lane) => this.#rounds[lane].newcomer());
    const overdue = this.#servedOverdue
      ? undefined
      : [newcomers[2], newcomers[1]].find((line) => line && this.#isOverdue(line, now));
    this.#servedOverdue = overdue !== undefined;
    return this.#serve(overdue ?? newcomers.find((line) => line !== undefined));
  }

  clear(): void {
    for (const line of this.#lines()) {
      line.first = none;
      line.last = none;
    }
    for (const round of this.#rounds) while (round.head) round.remove(round.head);
    this.#size = 0;
  }

  /** Call it after the table was compacted. */
  renumber(renumbered: Int32Array): void {
    for (const line of this.#lines()) {
      line.first = renumbered[line.first] ?? none;
      line.last = renumbered[line.last] ?? none;
    }
  }

  *#lines(): Generator<TenantLine> {
    for (const { head } of this.#rounds) for (let line = head; line; line = line.next) yield line;
  }

  #serve(line: TenantLine | undefined): number {
    if (!line) return none;
    const slot = line.first;
    const lane = this.#table.laneAt(slot);
    this.#remove(slot);
    if (line.first >= 0) this.#rounds[lane].moveToEnd(line);
    return slot;
  }

  #best(): TenantLine | undefined {
    return this.#rounds[0].head ?? this.#rounds[1].head ?? this.#rounds[2].head;
  }

  #overdue(now: number): TenantLine | undefined {
    return this.#overdueIn(2, now) ?? this.#overdueIn(1, now);
  }

  #overdueIn(lane: Lane, now: number): TenantLine | undefined {
    const { head } = this.#rounds[lane];
    return head && this.#isOverdue(head, now) ? head : undefined;
  }

  #isOverdue({ first }: TenantLine, now: number): boolean {
    return now - this.#table.since(first) > this.#patience;
  }

  #remove(slot: number): void {
    const { next, previous } = this.#table;
    const lane = this.#table.laneAt(slot);
    const line = this.#table.tenantAt(slot).lines[lane];
    const before = previous[slot] ?? none;
    const after = next[slot] ?? none;
    if (before < 0) line.first = after;
    else next[before] = after;
    if (after < 0) line.last = before;
    else previous[after] = before;
    if (line.first < 0) this.#rounds[lane].remove(line);
    this.#size--;
  }
}
