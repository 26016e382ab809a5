// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { openScope } from './scope.ts';

describe('the time of a call', () => {
  test('ends when it is up, and says so', async () => {
    const clock = new VirtualClock();
    using scope = openScope(clock, 1_000, undefined);
    await clock.advance(999);
    expect(scope.endedBy).toBeUndefined();
    await clock.advance(1);
    expect(scope.endedBy).toEqual({ kind: 'deadline', afterMs: 1_000 });
    expect(scope.signal.aborted).toBe(true);
  });

  test('counts again from the last sign, to the millisecond', async () => {
    const clock = new VirtualClock();
    using scope = openScope(clock, 1_000, undefined);
    for (let signs = 0; signs < 5; signs++) {
      await clock.advance(700);
      scope.touch();
    }
    await clock.advance(999);
    expect(scope.endedBy).toBeUndefined();
    await clock.advance(1);
    expect(scope.endedBy?.kind).toBe('deadline');
  });

  test('does not run while it is stopped, whatever signs come; and runs again in full', async () => {
    const clock = new VirtualClock();
    using scope = openScope(clock, 1_000, undefined);
    scope.pause();
    scope.touch();
    await clock.advance(10_000);
    expect(scope.endedBy).toBeUndefined();
    scope.renew();
    await clock.advance(999);
    expect(scope.endedBy).toBeUndefined();
    await clock.advance(1);
    expect(scope.endedBy?.kind).toBe('deadline');
  });

  test('leaves no timer behind', async () => {
    const clock = new VirtualClock();
    {
      using scope = openScope(clock, 1_000, undefined);
      scope.pause();
      await clock.advance(5_000);
      scope.renew();
    }
    expect(clock.pendingTimers).toBe(0);
  });

  test('the caller’s signal ends it with its reason', () => {
    const stop = new AbortController();
    using scope = openScope(new VirtualClock(), 1_000, stop.signal);
    stop.abort('enough');
    expect(scope.endedBy).toEqual({ kind: 'abort', reason: 'enough' });
  });
});
