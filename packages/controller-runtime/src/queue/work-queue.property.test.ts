// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { QueueModel } from '../testing/queue-model.ts';
import { laneOf, type Priority } from './priority.ts';
import { WorkQueue } from './work-queue.ts';

/** Long limits: thousands of runs or real connections on a possibly busy machine. */
vi.setConfig({ testTimeout: 120_000 });

type Step =
  | { readonly do: 'add'; readonly key: string; readonly priority: Priority }
  | { readonly do: 'addAfter'; readonly key: string; readonly priority: Priority; readonly delay: number }
  | { readonly do: 'get' }
  | { readonly do: 'done'; readonly pick: number }
  | { readonly do: 'wait'; readonly time: number }
  | { readonly do: 'shutDown' };

const key = fc.constantFrom('a', 'b', 'c', 'd');
const priority = fc.constantFrom<Priority>('high', 'normal', 'low');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), key, priority }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('addAfter' as const),
      key,
      priority,
      delay: fc.integer({ min: -1, max: 20 }),
    }),
  },
  { weight: 5, arbitrary: fc.constant({ do: 'get' as const }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('done' as const), pick: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), time: fc.integer({ min: 0, max: 15 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'shutDown' as const }) },
);

/** A queue under virtual time, operated by hand. `take` keeps the handed-out keys until `finish`. */
class Controls {
  readonly clock = new ManualClock();
  readonly queue = new WorkQueue<string>({ clock: this.clock, name: 'q', patience: Number.POSITIVE_INFINITY });
  readonly held: string[] = [];

  take(): string | undefined {
    const key = this.queue.tryGet();
    if (key !== undefined) this.held.push(key);
    return key;
  }

  finish(pick: number): string | undefined {
    const [key] = this.held.splice(pick % Math.max(1, this.held.length), 1);
    if (key !== undefined) this.queue.done(key);
    return key;
  }

  get counts(): readonly number[] {
    return [this.queue.length, this.queue.delayed, this.queue.processing];
  }

  /** Finishes all keys and takes the remaining ones. */
  exhaust(): string[] {
    while (this.finish(0) !== undefined);
    this.clock.tick(100);
    const rest: string[] = [];
    for (let key = this.take(); key !== undefined; key = this.take()) {
      rest.push(key);
      this.finish(0);
    }
    return rest;
  }
}

/** Does one step on both and returns the results. */
function both(controls: Controls, model: QueueModel, each: Step): [unknown, unknown] {
  const { clock, queue } = controls;
  switch (each.do) {
    case 'add':
      return [queue.add(each.key, each), model.add(each.key, laneOf[each.priority])];
    case 'addAfter':
      return [queue.addAfter(each.key, each.delay, each), model.addAfter(each.key, laneOf[each.priority], each.delay)];
    case 'get':
      return [controls.take(), model.get()];
    case 'done': {
      const key = controls.finish(each.pick);
      if (key !== undefined) model.done(key);
      return [key, key];
    }
    case 'wait':
      return [clock.tick(each.time), model.wait(each.time)];
    case 'shutDown':
      return [queue.shutDown(), model.shutDown()];
  }
}

/** Does one step and records which keys must be handed out. */
function owe(controls: Controls, owed: Set<string>, each: Step): void {
  if (each.do === 'add' || each.do === 'addAfter') {
    if (each.do === 'add') controls.queue.add(each.key, each);
    else controls.queue.addAfter(each.key, each.delay, each);
    owed.add(each.key);
  }
  if (each.do === 'get') owed.delete(controls.take() ?? '');
  if (each.do === 'done') controls.finish(each.pick);
  if (each.do === 'wait') controls.clock.tick(each.time);
}

describe('work queue against its model', () => {
  test('any schedule of additions, delays, gets, dones, waits and a shutdown gives the same keys in the same order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const controls = new Controls();
        const model = new QueueModel();
        const shown = steps.map((each) => {
          const [real, wanted] = both(controls, model, each);
          return {
            real: [real, controls.counts, controls.clock.pendingTimers <= 1],
            wanted: [wanted, model.counts, true],
          };
        });
        expect(shown.map(({ real }) => real)).toEqual(shown.map(({ wanted }) => wanted));
      }),
      { numRuns: 5000 },
    );
  });

  test('fault R16: no schedule hands out a key twice at a time', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const controls = new Controls();
        for (const each of steps) {
          owe(controls, new Set(), each);
          expect(new Set(controls.held).size).toBe(controls.held.length);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('nothing added is lost: in the end every key added after its last hand-out comes once, and nothing is left', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const controls = new Controls();
        const owed = new Set<string>();
        for (const each of steps) owe(controls, owed, each);
        expect(controls.exhaust().toSorted()).toEqual([...owed].toSorted());
        expect([...controls.counts, controls.clock.pendingTimers]).toEqual([0, 0, 0, 0]);
      }),
      { numRuns: 2000 },
    );
  });
});
