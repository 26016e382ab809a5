// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Lane, newEntry, type QueueEntry } from './queue-entry.ts';
import { ReadyLanes } from './ready-lanes.ts';
import { Ring } from './ring.ts';

/** Entries of ten keys in lanes, pushed or raised as their state allows. */
class Bench {
  readonly lanes = new ReadyLanes<number>(10);
  readonly waiting = new Map<number, QueueEntry<number>>();
  now = 0;

  want(key: number, lane: Lane): void {
    const held = this.waiting.get(key);
    if (held === undefined) {
      const entry = Object.assign(newEntry(key, lane), { ready: true, since: this.now });
      this.lanes.push(entry);
      this.waiting.set(key, entry);
    } else if (lane < held.lane) this.waiting.set(key, this.lanes.raise(held, lane));
  }

  /** Takes one and says whether it was a waiting one. */
  take(): boolean {
    const entry = this.lanes.shift(this.now);
    return entry === undefined
      ? this.waiting.size === 0
      : this.waiting.get(entry.key) === entry && this.waiting.delete(entry.key);
  }
}

describe('ready lanes', () => {
  test('every entry is served exactly once, raised or not, overdue or not', () => {
    const step = fc.record({
      key: fc.nat(9),
      lane: fc.constantFrom<Lane>(0, 1, 2),
      take: fc.boolean(),
      pass: fc.nat(8),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const bench = new Bench();
        const served = steps.map(({ key, lane, take, pass }) => {
          bench.now += pass;
          if (take) return bench.take();
          bench.want(key, lane);
          return bench.lanes.size === bench.waiting.size;
        });
        while (bench.waiting.size > 0) served.push(bench.take());
        expect(served).not.toContain(false);
        expect(bench.lanes.shift(bench.now)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  test('what raised entries leave behind does not pile up', () => {
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

describe('ring', () => {
  test('is first in, first out through growth, wrapping and retention', () => {
    const ring = new Ring<number>();
    const model: number[] = [];
    const pairs = Array.from({ length: 1000 }, (_, round) => {
      for (const item of [3 * round, 3 * round + 1, 3 * round + 2]) {
        ring.push(item);
        model.push(item);
      }
      return [ring.shift(), model.shift()];
    });
    expect(pairs.every(([real, wanted]) => real === wanted)).toBe(true);
    ring.retain((item) => item % 2 === 0);
    const even = model.filter((item) => item % 2 === 0);
    expect([...ring]).toEqual(even);
    expect(ring.length).toBe(even.length);
    for (const item of even) expect(ring.shift()).toBe(item);
    expect([ring.shift(), ring.peek(), ring.length]).toEqual([undefined, undefined, 0]);
  });
});
