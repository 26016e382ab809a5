// SPDX-License-Identifier: Apache-2.0
import { settle, VirtualClock } from '@etcd-operator/ports';
import { describe, expect, test } from 'vitest';
import { PausableLimit } from './pausable-limit.ts';
import { Turns } from './turns.ts';

const never = new AbortController().signal;

describe('[88] turns', () => {
  test('are taken by so many at once, and passed on in order', async () => {
    const turns = new Turns(2);
    const first = await turns.take(never);
    await turns.take(never);
    const order: string[] = [];
    const take = async (who: string) => {
      const turn = await turns.take(never);
      order.push(who);
      return turn;
    };
    const [third, fourth] = [take('third'), take('fourth')];
    await settle();
    expect(order).toEqual([]);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    (await third)[Symbol.dispose]();
    await fourth;
    expect(order).toEqual(['third', 'fourth']);
    expect(turns.taken).toBe(2);
  });

  test('who stops waiting takes nobody’s turn', async () => {
    const turns = new Turns(1);
    const first = await turns.take(never);
    const leaving = new AbortController();
    const second = turns.take(leaving.signal);
    const third = turns.take(never);
    leaving.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    first[Symbol.dispose]();
    (await third)[Symbol.dispose]();
    expect(turns.taken).toBe(0);
  });

  test('together use less memory than alone', async () => {
    const turns = new Turns(8);
    const sizes: number[] = [];
    for (let index = 0; index < 8; index++) sizes.push((await turns.take(never)).bufferBytes / 1024 / 1024);
    expect(sizes).toEqual([24, 8, 8, 8, 8, 8, 8, 8]);
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
});
