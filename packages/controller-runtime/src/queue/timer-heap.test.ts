// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newEntry, type QueueEntry } from './queue-entry.ts';
import { TimerHeap } from './timer-heap.ts';

describe('timer heap', () => {
  test('gives entries in order of due time, then of scheduling, through any moves and removals', () => {
    const step = fc.record({ entry: fc.nat(29), due: fc.nat(50), remove: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const heap = new TimerHeap<number>();
        const entries = Array.from({ length: 30 }, (_, index) => newEntry(index, 1));
        const model = new Map<QueueEntry<number>, readonly [due: number, order: number]>();
        for (const [order, { entry: index, due, remove }] of steps.entries()) {
          const entry = entries[index] as QueueEntry<number>;
          if (remove) heap.remove(entry);
          else heap.schedule(entry, due);
          if (remove) model.delete(entry);
          else model.set(entry, [due, order]);
        }
        const sorted = [...model].toSorted(([, one], [, other]) => one[0] - other[0] || one[1] - other[1]);
        expect(drain(heap)).toEqual(sorted.map(([entry]) => entry.key));
      }),
      { numRuns: 500 },
    );
  });

  test('clearing forgets everything, and entries can be scheduled again', () => {
    const heap = new TimerHeap<string>();
    const entry = newEntry('a', 1);
    heap.schedule(entry, 5);
    heap.clear();
    expect([heap.size, entry.heapIndex]).toEqual([0, -1]);
    heap.schedule(entry, 7);
    expect(heap.peek()).toBe(entry);
  });
});

function drain(heap: TimerHeap<number>): number[] {
  const keys: number[] = [];
  for (let first = heap.peek(); first !== undefined; first = heap.peek()) {
    keys.push(first.key);
    heap.remove(first);
  }
  return keys;
}
