// SPDX-License-Identifier: Apache-2.0
import { settle, VirtualClock } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PausableLimit } from '../backup/act/pausable-limit.ts';
import { TransferSemaphore } from './transfer-semaphore.ts';

const never = new AbortController().signal;

/** Transfers of this duration, all requested at the same time in this order. Records by the virtual clock when each one starts. */
class Transfers {
  readonly clock = new VirtualClock();
  readonly semaphore: TransferSemaphore;
  readonly begun: { readonly who: string; readonly at: number }[] = [];
  readonly #since = this.clock.monotonic();

  constructor(shared: number) {
    this.semaphore = new TransferSemaphore(shared, this.clock);
  }

  start(namespace: string, who: string, milliseconds: number): void {
    void this.#move(namespace, who, milliseconds);
  }

  async #move(namespace: string, who: string, milliseconds: number): Promise<void> {
    using _permit = await this.semaphore.take(namespace, never);
    this.begun.push({ who, at: this.clock.monotonic() - this.#since });
    await this.clock.sleep(milliseconds);
  }

  get order(): readonly string[] {
    return this.begun.map(({ who }) => who);
  }
}

describe('[88] transfer permits', () => {
  test('are taken by so many at once, and passed on in order', async () => {
    const semaphore = new TransferSemaphore(2, new VirtualClock());
    const first = await semaphore.take('ns', never);
    await semaphore.take('ns', never);
    const order: string[] = [];
    const take = async (who: string) => {
      const permit = await semaphore.take('ns', never);
      order.push(who);
      return permit;
    };
    const [third, fourth] = [take('third'), take('fourth')];
    await settle();
    expect(order).toEqual([]);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    (await third)[Symbol.dispose]();
    await fourth;
    expect(order).toEqual(['third', 'fourth']);
    expect(semaphore.taken).toBe(2);
  });

  test('a caller that stops waiting takes no permit of others', async () => {
    const semaphore = new TransferSemaphore(1, new VirtualClock());
    const first = await semaphore.take('ns', never);
    const leaving = new AbortController();
    const second = semaphore.take('ns', leaving.signal);
    const third = semaphore.take('ns', never);
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    first[Symbol.dispose]();
    (await third)[Symbol.dispose]();
    expect(semaphore.taken).toBe(0);
  });

  test('who is called off in the moment of being served gives the permit back', async () => {
    const semaphore = new TransferSemaphore(1, new VirtualClock());
    const first = await semaphore.take('ns', never);
    const leaving = new AbortController();
    const second = semaphore.take('ns', leaving.signal);
    first[Symbol.dispose]();
    leaving.abort(new Error('gone'));
    (await second)[Symbol.dispose]();
    expect(semaphore.taken).toBe(0);
  });

  test('together use less memory than alone', async () => {
    const semaphore = new TransferSemaphore(8, new VirtualClock());
    const sizes: number[] = [];
    for (let index = 0; index < 8; index++) sizes.push((await semaphore.take('ns', never)).bufferBytes / 1024 / 1024);
    expect(sizes).toEqual([24, 8, 8, 8, 8, 8, 8, 8]);
  });
});

describe('permits are fair by namespace', () => {
  test('one namespace that has all shared permits, and more waiting, delays no other', async () => {
    const transfers = new Transfers(8);
    for (let index = 0; index < 100; index++) transfers.start('slow', 'slow', 3_600_000);
    await settle();
    expect(transfers.semaphore.taken).toBe(8);
    transfers.start('good', 'good', 1_000);
    transfers.start('good', 'good, second', 1_000);
    await transfers.clock.advance(1_500);
    expect(transfers.begun.slice(8)).toEqual([
      { who: 'good', at: 0 },
      { who: 'good, second', at: 1_000 },
    ]);
  });

  test('twenty namespaces with several slow transfers each delay no other', async () => {
    const transfers = new Transfers(8);
    for (let index = 0; index < 60; index++) transfers.start(`slow-${index % 20}`, 'slow', 3_600_000);
    await settle();
    expect(transfers.semaphore.taken).toBe(20);
    transfers.start('good', 'good', 1_000);
    await settle();
    expect(transfers.begun.at(-1)).toEqual({ who: 'good', at: 0 });
  });

  test('what becomes free goes to who has the fewest, and among those round and round', async () => {
    const transfers = new Transfers(2);
    for (let index = 0; index < 4; index++) transfers.start('a', `a${index}`, index < 2 ? 10 : 1_000);
    for (const namespace of ['b', 'c']) {
      for (let index = 0; index < 3; index++) transfers.start(namespace, `${namespace}${index}`, 100);
    }
    await transfers.clock.advance(10_000);
    expect(transfers.order.slice(0, 4)).toEqual(['a0', 'a1', 'b0', 'c0']);
    // At 10, both transfers of a end and another one of a starts. Then b and c continue beside it, each with one at a time.
    expect(transfers.order.slice(4)).toEqual(['a2', 'b1', 'c1', 'b2', 'c2', 'a3']);
  });

  test('whatever comes and goes, no more permits are taken than there are, and every caller is served', async () => {
    const transfer = fc.record({
      namespace: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'),
      pause: fc.integer({ min: 0, max: 20 }),
      lasts: fc.integer({ min: 1, max: 100 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(transfer, { maxLength: 40 }), async (all) => {
        const transfers = new Transfers(2);
        for (const { namespace, pause, lasts } of all) {
          await transfers.clock.advance(pause);
          transfers.start(namespace, namespace, lasts);
          await settle();
          expect(transfers.semaphore.taken).toBeLessThanOrEqual(8);
        }
        await transfers.clock.advance(10_000);
        expect([transfers.begun.length, transfers.semaphore.taken]).toEqual([all.length, 0]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('[78] a time limit that can be halted', () => {
  test('counts only the time it runs', async () => {
    const clock = new VirtualClock();
    using limit = new PausableLimit(clock, 60_000, never);
    await clock.advance(50_000);
    limit.pause();
    await clock.advance(1_000_000);
    limit.resume();
    await clock.advance(9_000);
    expect(limit.signal.aborted).toBe(false);
    await clock.advance(2_000);
    expect(limit.signal.aborted).toBe(true);
    expect(limit.expiry?.fault).toMatchObject({ kind: 'passing', reason: 'Timeout' });
  });

  test('while memory is short, each namespace has one at a time and there are no spare ones; no caller is forgotten when it is over', async () => {
    let isShort = true;
    const clock = new VirtualClock();
    const semaphore = new TransferSemaphore(2, clock, () => isShort);
    const begun: string[] = [];
    const take = async (namespace: string) => {
      const permit = await semaphore.take(namespace, never);
      begun.push(namespace);
      return permit;
    };
    const taken = ['a', 'a', 'b', 'c'].map(take);
    await settle();
    expect(begun).toEqual(['a', 'b']);
    isShort = false;
    // New requests do not overtake those that wait, and waiting requests get their permit even without new ones.
    await clock.advance(2_000);
    expect(begun).toEqual(['a', 'b', 'c']);
    (await taken[0])?.[Symbol.dispose]();
    (await taken[2])?.[Symbol.dispose]();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c', 'a']);
  });
});
