// SPDX-License-Identifier: Apache-2.0
import { settle, silentLogger, VirtualClock } from '@operator-parts/ports';
import { beforeEach, describe, expect, test } from 'vitest';
import { ReconcileLoop } from './reconcile-loop.ts';

let clock: VirtualClock;
let seen: string[];

beforeEach(() => {
  clock = new VirtualClock();
  seen = [];
});

const loop = (reconcile: (key: string) => Promise<number | undefined>) =>
  new ReconcileLoop({
    name: 'test',
    clock,
    log: silentLogger,
    reconcile: (key) => {
      seen.push(key);
      return reconcile(key);
    },
  });

describe('a loop', () => {
  test('looks once at what was asked for several times', async () => {
    const subject = loop(async () => undefined);
    for (const key of ['a', 'b', 'a', 'a']) subject.enqueue(key);
    await settle();
    expect(seen).toEqual(['a', 'b']);
  });

  test('looks again at what was asked for while it looked', async () => {
    const subject = loop(async (key) => {
      if (seen.length === 1) subject.enqueue(key);
      return undefined;
    });
    subject.enqueue('a');
    await settle();
    expect(seen).toEqual(['a', 'a']);
  });

  test('tries again what failed, with growing delays', async () => {
    const subject = loop(async () => {
      if (seen.length < 4) throw new Error('no');
      return undefined;
    });
    subject.enqueue('a');
    await settle();
    for (const delay of [20, 40, 80]) {
      const before = seen.length;
      await clock.advance(delay - 1);
      expect(seen).toHaveLength(before);
      await clock.advance(1);
      expect(seen).toHaveLength(before + 1);
    }
    expect(clock.pendingTimers).toBe(0);
  });

  test('comes back when it was told to, or sooner', async () => {
    const subject = loop(async () => (seen.length === 1 ? 1000 : undefined));
    subject.enqueue('a');
    await clock.advance(999);
    expect(seen).toHaveLength(1);
    subject.enqueue('a');
    await clock.advance(10_000);
    expect(seen).toHaveLength(2);
  });

  test('that is closed does nothing more', async () => {
    const subject = loop(async () => 10);
    subject.enqueue('a');
    await settle();
    subject.close();
    subject.enqueue('b');
    await clock.advance(1000);
    expect(seen).toEqual(['a']);
  });
});
