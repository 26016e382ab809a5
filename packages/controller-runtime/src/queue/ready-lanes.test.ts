// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { none } from './key-index.ts';
import { KeyTable } from './key-table.ts';
import type { Lane } from './priority.ts';
import { ReadyLanes } from './ready-lanes.ts';

/**
 * Ten keys in lanes, pushed or raised as their state allows, and the waiting ones in the order in which they entered
 * their lane.
 */
class Bench {
  readonly table = new KeyTable<number>();
  readonly lanes = new ReadyLanes<number>(this.table, 10);
  waiting: { readonly key: number; readonly lane: Lane; readonly since: number }[] = [];
  now = 0;

  want(key: number, lane: Lane): void {
    const slot = this.table.slotOf(key);
    const held = this.waiting.find((one) => one.key === key);
    if (held && held.lane <= lane) return;
    this.waiting = [...this.waiting.filter((one) => one !== held), { key, lane, since: held?.since ?? this.now }];
    if (held) {
      this.lanes.raise(slot, lane);
      return;
    }
    this.table.setReady(slot, true);
    this.table.setLane(slot, lane);
    this.table.setSince(slot, this.now);
    this.lanes.push(slot);
  }

  /** Takes a slot and returns whether it was the first of a lane. */
  take(): boolean {
    const slot = this.lanes.shift(this.now);
    if (slot < 0) return this.waiting.length === 0;
    this.table.setReady(slot, false);
    const key = this.table.keyAt(slot);
    const taken = this.waiting.find((one) => one.key === key);
    const first = this.waiting.find((one) => one.lane === taken?.lane);
    this.waiting = this.waiting.filter((one) => one !== taken);
    return taken !== undefined && taken === first;
  }

  compact(): boolean {
    this.lanes.renumber(this.table.compact());
    return this.table.size === this.waiting.length;
  }
}

describe('ready lanes', () => {
  test('every key is served exactly once and in turn, raised or not, overdue or not, in a table that is compacted meanwhile', () => {
    const step = fc.record({
      do: fc.constantFrom('want', 'want', 'want', 'take', 'take', 'compact'),
      key: fc.nat(9),
      lane: fc.constantFrom<Lane>(0, 1, 2),
      pass: fc.nat(8),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const bench = new Bench();
        const right = steps.map((step) => {
          bench.now += step.pass;
          if (step.do === 'take') return bench.take();
          if (step.do === 'compact') return bench.compact();
          bench.want(step.key, step.lane);
          return bench.lanes.size === bench.waiting.length;
        });
        while (bench.waiting.length > 0) right.push(bench.take());
        expect(right).not.toContain(false);
        expect(bench.lanes.shift(bench.now)).toBe(none);
      }),
      { numRuns: 1000 },
    );
  });

  test('raised keys leave nothing behind', () => {
    const bench = new Bench();
    bench.want(0, 2);
    for (let round = 0; round < 10_000; round++) {
      bench.want(1, 2);
      bench.want(1, 0);
      expect(bench.take()).toBe(true);
    }
    expect(bench.lanes.size).toBe(1);
    expect(bench.take()).toBe(true);
  });
});
