// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { type Clock, sleepOn, type Timer } from './clock.ts';
import { systemClock } from './system-clock.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The contract of every clock, real and virtual. `pass` advances it. */
interface Subject {
  readonly name: string;
  readonly clock: Clock;
  readonly pass: (milliseconds: number) => Promise<void>;
}

const virtual = new VirtualClock();
const subjects: readonly Subject[] = [
  { name: 'the virtual clock', clock: virtual, pass: (milliseconds) => virtual.advance(milliseconds) },
  {
    name: 'the system clock',
    clock: systemClock,
    pass: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds + 15)),
  },
];

describe.each(subjects)('$name', ({ clock, pass }) => {
  test('monotonic does not go back, and moves with the time that passes', async () => {
    const before = clock.monotonic();
    await pass(5);
    expect(clock.monotonic() - before).toBeGreaterThanOrEqual(5);
  });

  test('a timer fires once, in a later turn, and not early', async () => {
    const due = clock.monotonic() + 10;
    const fired: number[] = [];
    clock.schedule(10, () => fired.push(clock.monotonic()));
    expect(fired).toEqual([]);
    await pass(20);
    expect(fired).toHaveLength(1);
    expect(fired[0]).toBeGreaterThanOrEqual(due);
  });

  test('a timer of zero or less fires in a later turn', async () => {
    const fired: string[] = [];
    clock.schedule(0, () => fired.push('zero'));
    clock.schedule(-5, () => fired.push('negative'));
    expect(fired).toEqual([]);
    await pass(5);
    expect(fired.sort()).toEqual(['negative', 'zero']);
  });

  test('a cancelled timer does not fire', async () => {
    let fired = false;
    const timer = clock.schedule(5, () => {
      fired = true;
    });
    timer.cancel();
    await pass(10);
    expect(fired).toBe(false);
    timer.cancel();
  });

  test('sleep resolves after its time', async () => {
    const started = clock.monotonic();
    const slept = clock.sleep(10).then(() => clock.monotonic());
    await pass(10);
    expect((await slept) - started).toBeGreaterThanOrEqual(10);
  });

  test('sleep with a signal that is aborted already rejects with its reason', async () => {
    const reason = new Error('stopped before');
    await expect(clock.sleep(10, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('sleep rejects with the reason as soon as its signal is aborted', async () => {
    const controller = new AbortController();
    const slept = clock.sleep(3_600_000, controller.signal);
    const reason = new Error('lease lost');
    controller.abort(reason);
    await expect(slept).rejects.toBe(reason);
  });
});

describe('sleep in terms of schedule', () => {
  /** A clock with one timer that the test can inspect. */
  function oneTimer() {
    const state = { cancelled: 0, fire: () => {} };
    const schedule = (_milliseconds: number, callback: () => void): Timer => {
      state.fire = callback;
      return {
        cancel: () => {
          state.cancelled += 1;
        },
      };
    };
    return { state, clock: { schedule } };
  }

  test('cancels its timer when aborted, so that nothing keeps the process alive', async () => {
    const { state, clock } = oneTimer();
    const controller = new AbortController();
    const slept = sleepOn(clock, 10, controller.signal);
    controller.abort();
    await expect(slept).rejects.toThrow('aborted');
    expect(state.cancelled).toBe(1);
  });

  test('removes its listener at the end, so that a long-lived signal does not collect listeners', async () => {
    const { state, clock } = oneTimer();
    const controller = new AbortController();
    const slept = sleepOn(clock, 10, controller.signal);
    state.fire();
    await slept;
    controller.abort();
    expect(state.cancelled).toBe(0);
  });

  test('sets no timer if aborted already', async () => {
    const clock: Pick<Clock, 'schedule'> = {
      schedule: () => {
        throw new Error('a timer was set');
      },
    };
    await expect(sleepOn(clock, 10, AbortSignal.abort('gone'))).rejects.toBe('gone');
  });
});
