// SPDX-License-Identifier: Apache-2.0
import { seededRandom, settle, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { BlobError, type BlobErrorCode } from '../blob-error.ts';
import { Attempts, type RetryPolicy } from './attempts.ts';

function scene(retry: RetryPolicy = {}) {
  const clock = new VirtualClock();
  const attempts = new Attempts({ clock, random: seededRandom(3), retry }, (thrown, what) => {
    return new BlobError('Unknown', `${what}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  });
  return { clock, attempts };
}

/** A request that fails this many times; the times at which it was made. */
function failing(clock: VirtualClock, times: number, error: () => Error) {
  const at: number[] = [];
  const make = async () => {
    at.push(clock.monotonic());
    if (at.length <= times) throw error();
    return 'done';
  };
  return { at, make };
}

const unavailable = () => new BlobError('Unavailable', 'busy');

describe('tries', () => {
  test('are made until one succeeds, with pauses that double and vary by half', async () => {
    const { clock, attempts } = scene({ firstDelayMs: 100, maxDelayMs: 1_000 });
    const { at, make } = failing(clock, 6, unavailable);
    const done = attempts.run({ what: 'asking' }, undefined, make);
    await clock.advance(10_000);
    expect(await done).toBe('done');
    const pauses = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    for (const [index, longest] of [100, 200, 400, 800, 1_000, 1_000].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(longest / 2);
      expect(pauses[index]).toBeLessThanOrEqual(longest);
    }
  });

  test('end after as many as allowed, with the last error', async () => {
    const { clock, attempts } = scene({ attempts: 3 });
    const { at, make } = failing(clock, 100, unavailable);
    const done = attempts.run({ what: 'asking' }, undefined, make);
    await Promise.all([expect(done).rejects.toMatchObject({ code: 'Unavailable' }), clock.advance(60_000)]);
    expect(at).toHaveLength(3);
  });

  test.each<BlobErrorCode>([
    'NotFound',
    'BucketMissing',
    'Denied',
    'Expired',
    'InvalidPath',
    'NoSpace',
    'Configuration',
    'Unknown',
  ])('%s is an answer, and not asked for again', async (code) => {
    const { clock, attempts } = scene();
    const { at, make } = failing(clock, 100, () => new BlobError(code, 'no'));
    await expect(attempts.run({ what: 'asking' }, undefined, make)).rejects.toMatchObject({ code });
    expect(at).toHaveLength(1);
  });

  test('wait as long as the store asks, but not for ever', async () => {
    const { clock, attempts } = scene({ firstDelayMs: 10, maxDelayMs: 5_000 });
    const waits = [2_000, 999_000];
    const { at, make } = failing(clock, 2, () => {
      return new BlobError('Throttled', 'slow down', { retryAfterMs: waits.shift() ?? 0 });
    });
    const done = attempts.run({ what: 'asking' }, undefined, make);
    await clock.advance(20_000);
    await done;
    expect(at).toEqual([0, 2_000, 7_000]);
  });

  test('what a request throws becomes a BlobError, once', async () => {
    const { attempts } = scene();
    const done = attempts.run({ what: 'asking' }, undefined, () => Promise.reject(new Error('odd')));
    await expect(done).rejects.toMatchObject({ code: 'Unknown', message: 'asking: odd' });
  });
});

describe('the time of a request', () => {
  test('is limited; then it is made again', async () => {
    const { clock, attempts } = scene({ requestTimeoutMs: 1_000 });
    let made = 0;
    const done = attempts.run({ what: 'asking' }, undefined, (signal) => {
      made += 1;
      return made === 2 ? Promise.resolve('done') : clock.sleep(3_600_000, signal).then(() => 'late');
    });
    await clock.advance(5_000);
    expect(await done).toBe('done');
    expect(made).toBe(2);
  });

  test('grows with its bytes', async () => {
    const { clock, attempts } = scene({ requestTimeoutMs: 1_000, slowestBytesPerSecond: 1_000, attempts: 1 });
    const done = attempts.run({ what: 'sending', bytes: 9_000 }, undefined, (signal) => clock.sleep(1e9, signal));
    const failure = done.catch((error: unknown) => error);
    await clock.advance(9_999);
    expect(clock.pendingTimers).toBe(2);
    await clock.advance(1);
    expect(await failure).toMatchObject({
      code: 'Timeout',
      retryable: true,
      message: 'sending: no response within 10 s',
    });
    expect(clock.pendingTimers).toBe(0);
  });

  test('does not run on for what it has opened', async () => {
    const { clock, attempts } = scene({ requestTimeoutMs: 1_000 });
    const opened = await attempts.once({ what: 'opening' }, undefined, async (signal) => signal);
    await clock.advance(60_000);
    expect(opened.aborted).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('the caller', () => {
  test('who has stopped already is not asked to wait', async () => {
    const { attempts } = scene();
    let made = 0;
    const done = attempts.run({ what: 'asking' }, AbortSignal.abort(), async () => {
      made += 1;
    });
    await expect(done).rejects.toMatchObject({ code: 'Aborted', message: 'asking: stopped by the caller' });
    expect(made).toBe(0);
  });

  test('who stops in the middle of a request, or between two, gets his reason back', async () => {
    for (const make of [
      (signal: AbortSignal, clock: VirtualClock) => clock.sleep(1e9, signal),
      () => Promise.reject(unavailable()),
    ]) {
      const { clock, attempts } = scene();
      const stop = new AbortController();
      const done = attempts.run({ what: 'asking' }, stop.signal, (signal) => make(signal, clock));
      await settle();
      const reason = new Error('enough');
      stop.abort(reason);
      await expect(done).rejects.toMatchObject({ code: 'Aborted', retryable: false, cause: reason });
      expect(clock.pendingTimers).toBe(0);
    }
  });
});
