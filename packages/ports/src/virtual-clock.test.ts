// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settle, VirtualClock } from './virtual-clock.ts';

describe('virtual time', () => {
  test('stands still until it is advanced', async () => {
    const clock = new VirtualClock('2026-03-01T12:00:00Z');
    expect(clock.now()).toBe(Date.parse('2026-03-01T12:00:00Z'));
    await clock.advance(1500);
    expect(clock.now()).toBe(Date.parse('2026-03-01T12:00:01.500Z'));
    expect(clock.monotonic()).toBe(1500);
  });

  test('begins where it is told to, in milliseconds too', () => {
    expect(new VirtualClock(42).now()).toBe(42);
  });

  test('a jump moves the wall clock alone', async () => {
    const clock = new VirtualClock(0);
    const fired: number[] = [];
    clock.schedule(100, () => fired.push(clock.monotonic()));
    clock.jump(-3_600_000);
    expect(clock.now()).toBe(-3_600_000);
    await clock.advance(100);
    expect(fired).toEqual([100]);
    expect(clock.monotonic()).toBe(100);
  });
});

describe('timers under virtual time', () => {
  test('never run inside schedule', () => {
    let ran = false;
    new VirtualClock().schedule(0, () => {
      ran = true;
    });
    expect(ran).toBe(false);
  });

  test('fire in order of due time, then of scheduling, and each at its own time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -5, max: 50 }), { maxLength: 30 }), async (delays) => {
        const clock = new VirtualClock(0);
        const fired: { index: number; at: number }[] = [];
        for (const [index, delay] of delays.entries()) {
          clock.schedule(delay, () => fired.push({ index, at: clock.monotonic() }));
        }
        await clock.advance(60);
        const expected = delays
          .map((delay, index) => ({ index, at: Math.max(0, delay) }))
          .sort((a, b) => a.at - b.at || a.index - b.index);
        expect(fired).toEqual(expected);
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 25 },
    );
  });

  test('advancing in steps is the same as advancing at once', async () => {
    const delays = fc.array(fc.nat(40), { maxLength: 15 });
    const steps = fc.array(fc.nat(15), { minLength: 1, maxLength: 6 });
    const firings = async (timers: readonly number[], advances: readonly number[]) => {
      const clock = new VirtualClock(0);
      const fired: string[] = [];
      for (const delay of timers) {
        // Every timer sets another one, as retry loops do.
        clock.schedule(delay, () => {
          fired.push(`${delay} at ${clock.monotonic()}`);
          clock.schedule(7, () => fired.push(`${delay} again at ${clock.monotonic()}`));
        });
      }
      for (const step of advances) await clock.advance(step);
      return fired;
    };
    await fc.assert(
      fc.asyncProperty(delays, steps, async (timers, advances) => {
        const whole = advances.reduce((sum, step) => sum + step, 0);
        expect(await firings(timers, advances)).toEqual(await firings(timers, [whole]));
      }),
      { numRuns: 20 },
    );
  });

  test('do not fire once cancelled, and cancelling again does nothing', async () => {
    const clock = new VirtualClock();
    let fired = 0;
    const timer = clock.schedule(10, () => {
      fired += 1;
    });
    timer.cancel();
    timer.cancel();
    await clock.advance(20);
    expect(fired).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  test('a timer may cancel another one that is due at the same time', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.schedule(10, () => {
      fired.push('first');
      second.cancel();
    });
    const second = clock.schedule(10, () => fired.push('second'));
    await clock.advance(10);
    expect(fired).toEqual(['first']);
  });

  test('say when the next one is due', async () => {
    const clock = new VirtualClock();
    expect(clock.untilNextTimer).toBeUndefined();
    clock.schedule(30, () => {});
    clock.schedule(10, () => {});
    await clock.advance(4);
    expect(clock.untilNextTimer).toBe(6);
  });
});

describe('code that waits, under virtual time', () => {
  test('runs between two timers until it waits again', async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    const loop = async () => {
      for (let round = 0; round < 3; round++) {
        await clock.sleep(1000);
        await Promise.resolve();
        seen.push(clock.now());
      }
    };
    const done = loop();
    await clock.advance(3000);
    await done;
    expect(seen).toEqual([1000, 2000, 3000]);
  });

  test('hours pass in no time', async () => {
    const clock = new VirtualClock();
    let beats = 0;
    const beat = () => {
      beats += 1;
      clock.schedule(60_000, beat);
    };
    clock.schedule(60_000, beat);
    await clock.advance(3_600_000);
    expect(beats).toBe(60);
  });

  test('advanceUntil stops at the timer that made the condition true', async () => {
    const clock = new VirtualClock(0);
    let reached = false;
    clock.schedule(10, () => {});
    clock.schedule(250, () => {
      reached = true;
    });
    clock.schedule(900, () => {});
    await clock.advanceUntil(() => reached);
    expect(clock.now()).toBe(250);
  });

  test('advanceUntil does not move time for what is true already', async () => {
    const clock = new VirtualClock(0);
    clock.schedule(10, () => {});
    await clock.advanceUntil(() => true);
    expect(clock.now()).toBe(0);
  });

  test('advanceUntil fails with the condition if nothing is left that could make it true', async () => {
    const clock = new VirtualClock(0);
    clock.schedule(10, () => {});
    await expect(clock.advanceUntil(() => clock.now() < 0)).rejects.toThrow('clock.now() < 0');
  });

  test('advanceUntil fails at its limit', async () => {
    const clock = new VirtualClock(0);
    const again = () => clock.schedule(100, again);
    again();
    await expect(clock.advanceUntil(() => false, 1000)).rejects.toThrow('within 1000 virtual ms');
    expect(clock.now()).toBeLessThanOrEqual(1000);
  });

  test('settle lets chains of promises run dry', async () => {
    let links = 0;
    const chain = async () => {
      for (let link = 0; link < 50; link++) {
        await Promise.resolve();
        links += 1;
      }
    };
    const done = chain();
    await settle();
    expect(links).toBe(50);
    await done;
  });

  test('real I/O goes on beside virtual time', async () => {
    const server = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const clock = new VirtualClock();
      const { port } = server.address() as AddressInfo;
      const answer = fetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
      await clock.advance(1000);
      expect(await answer).toBe('hello');
    } finally {
      server.close();
    }
  });
});
