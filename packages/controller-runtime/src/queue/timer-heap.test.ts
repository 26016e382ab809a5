// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyTable } from './key-table.ts';
import { TimerHeap } from './timer-heap.ts';

interface Step {
  readonly do: 'schedule' | 'remove' | 'compact';
  readonly key: number;
  readonly due: number;
}

function act(heap: TimerHeap<number>, table: KeyTable<number>, step: Step): void {
  if (step.do === 'compact') heap.renumber(table.compact());
  else if (step.do === 'remove') heap.remove(table.slotOf(step.key));
  else heap.schedule(table.slotOf(step.key), step.due);
}

describe('timer heap', () => {
  test('gives keys in order of due time, then of scheduling, through any moves and removals, and when the table is compacted', () => {
    const step = fc.record({
      do: fc.constantFrom<Step['do']>('schedule', 'schedule', 'remove', 'compact'),
      key: fc.nat(29),
      due: fc.nat(50),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const table = new KeyTable<number>();
        const heap = new TimerHeap<number>(table);
        const model = new Map<number, readonly [due: number, order: number]>();
        for (const [order, { do: what, key, due }] of steps.entries()) {
          act(heap, table, { do: what, key, due });
          if (what === 'remove') model.delete(key);
          if (what === 'schedule') model.set(key, [due, order]);
        }
        for (const [key, [due]] of model) expect(heap.dueOf(table.find(key))).toBe(due);
        const sorted = [...model].toSorted(([, one], [, other]) => one[0] - other[0] || one[1] - other[1]);
        expect(drain(heap, table)).toEqual(sorted.map(([key]) => key));
      }),
      { numRuns: 500 },
    );
  });

  test('clearing forgets everything, and keys can be scheduled again', () => {
    const table = new KeyTable<string>();
    const heap = new TimerHeap<string>(table);
    const slot = table.slotOf('a');
    heap.schedule(slot, 5);
    heap.clear();
    expect([heap.size, table.isDelayed(slot)]).toEqual([0, false]);
    heap.schedule(slot, 7);
    expect(heap.peek()).toBe(slot);
  });
});

function drain(heap: TimerHeap<number>, table: KeyTable<number>): number[] {
  const keys: number[] = [];
  for (let first = heap.peek(); first >= 0; first = heap.peek()) {
    keys.push(table.keyAt(first));
    heap.remove(first);
  }
  return keys;
}
