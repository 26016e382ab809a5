// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueueModel } from '../testing/fair-queue-model.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { laneOf, type Priority } from './priority.ts';
import { WorkQueue } from './work-queue.ts';

const tenantOf = (key: string) => key.split('/')[0] ?? '';

function queueOf(
  shared = Number.POSITIVE_INFINITY,
  { clock = new ManualClock(), patience = Number.POSITIVE_INFINITY } = {},
): WorkQueue<string> {
  return new WorkQueue<string>({ clock, name: 'q', patience, tenantOf, shared });
}

const key = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(3)).map((parts) => parts.join('/'));
const priority = fc.constantFrom<Priority>('high', 'normal', 'normal', 'low');
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), key, priority }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('get' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('done' as const), pick: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('markStuck' as const), pick: fc.nat(7) }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A queue and its model, which get the same calls. */
class Both {
  readonly queue: WorkQueue<string>;
  readonly model: FairQueueModel;
  readonly held: string[] = [];

  constructor(shared: number) {
    this.queue = queueOf(shared);
    this.model = new FairQueueModel(shared);
  }

  work(step: Step): void {
    if (step.do === 'add') this.add(step.key, step.priority);
    else if (step.do === 'get') this.get();
    else this[step.do](step.pick);
  }

  add(key: string, priority: Priority): void {
    this.queue.add(key, { priority });
    this.model.add(key, laneOf[priority]);
  }

  get(): void {
    const got = this.queue.tryGet();
    expect(got).toBe(this.model.get());
    if (got !== undefined) this.held.push(got);
  }

  markStuck(pick: number): void {
    const slow = this.held[pick % Math.max(1, this.held.length)];
    if (slow === undefined) return;
    this.queue.markStuck(slow);
    this.model.markStuck(slow);
  }

  done(pick: number): void {
    const [ended] = this.held.splice(pick % Math.max(1, this.held.length), 1);
    if (ended === undefined) return;
    this.queue.done(ended);
    this.model.done(ended);
  }
}

describe('a queue whose keys are of several tenants', () => {
  test('hands out as its model does, whatever is added, handed out and done, and however many are shared', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, shared) => {
        const both = new Both(shared);
        for (const each of steps) both.work(each);
      }),
      { numRuns: 3000 },
    );
  });

  test('no caller that waits for a key is left waiting when one may be handed out, and nothing is lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(key, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 8 }),
        async (added, shared, workers) => {
          const queue = queueOf(shared);
          const seen = new Set<string>();
          const work = async () => {
            for (let next = await queue.get(); next !== undefined; next = await queue.get()) {
              seen.add(next);
              await Promise.resolve();
              queue.done(next);
            }
          };
          const all = Promise.all(Array.from({ length: workers }, work));
          for (const each of added) queue.add(each);
          await queue.drain();
          await all;
          expect(seen).toEqual(new Set(added));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('ten thousand keys of one delay the only key of another by one', () => {
    const queue = queueOf();
    for (let index = 0; index < 10_000; index++) queue.add(`many/${index}`);
    queue.add('one/0');
    expect([queue.tryGet(), queue.tryGet(), queue.tryGet()]).toEqual(['many/0', 'one/0', 'many/1']);
  });

  test('a tenant that uses all shared slots, for any time, does not block others', () => {
    const queue = queueOf(2);
    for (let index = 0; index < 5; index++) queue.add(`slow/${index}`);
    queue.add('good/0', { priority: 'low' });
    queue.add('good/1', { priority: 'low' });
    expect([queue.tryGet(), queue.tryGet(), queue.tryGet(), queue.tryGet()]).toEqual([
      'slow/0',
      'slow/1',
      'good/0',
      undefined,
    ]);
    queue.done('good/0');
    expect(queue.tryGet()).toBe('good/1');
  });

  test('changes of many tenants, one after the other, keep out no key that has waited for long', async () => {
    const clock = new ManualClock();
    const queue = queueOf(1, { clock, patience: 1000 });
    queue.add('slow/0');
    queue.tryGet();
    queue.add('good/0', { priority: 'low' });
    const handedOut: (string | undefined)[] = [];
    for (let second = 0; second < 5; second++) {
      queue.add(`busy-${second}/0`);
      handedOut.push(queue.tryGet());
      clock.tick(600);
      await Promise.resolve();
    }
    expect(handedOut).toEqual(['busy-0/0', 'busy-1/0', 'good/0', 'busy-2/0', 'busy-3/0']);
  });

  test('a tenant whose handed-out keys no longer count is like a new one: its other keys are not held back', () => {
    const queue = queueOf(1);
    queue.add('good/stuck');
    queue.tryGet();
    queue.markStuck('good/stuck');
    queue.add('slow/0');
    queue.tryGet();
    queue.add('good/0');
    expect(queue.tryGet()).toBe('good/0');
    queue.done('good/stuck');
    queue.add('good/1');
    expect(queue.tryGet()).toBeUndefined();
  });

  test('a key that is marked as stuck gives its shared place to another, once', () => {
    const queue = queueOf(1);
    for (let index = 0; index < 3; index++) queue.add(`slow/${index}`);
    expect([queue.tryGet(), queue.tryGet()]).toEqual(['slow/0', undefined]);
    queue.markStuck('slow/0');
    queue.markStuck('slow/0');
    expect([queue.tryGet(), queue.tryGet()]).toEqual(['slow/1', undefined]);
    queue.done('slow/0');
    expect(queue.tryGet()).toBeUndefined();
    queue.done('slow/1');
    expect(queue.tryGet()).toBe('slow/2');
  });

  test('tenants without keys are forgotten, and those with keys keep their place', () => {
    const queue = queueOf();
    queue.add('a/held');
    queue.tryGet();
    for (let round = 0; round < 5000; round++) {
      queue.add(`gone-${round}/x`);
      queue.done(queue.tryGet() ?? '');
    }
    queue.add('a/next');
    queue.add('b/next');
    queue.done('a/held');
    expect([queue.tryGet(), queue.tryGet(), queue.tryGet()]).toEqual(['a/next', 'b/next', undefined]);
  });
});
