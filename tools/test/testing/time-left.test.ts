// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { Deadlines } from './time-left.ts';

const end = (milliseconds: number) => ({ remaining: () => milliseconds });

describe('the time that is left', () => {
  test('is that of the test or hook that runs, and of what is around it afterwards', () => {
    const deadlines = new Deadlines();
    const [outer, inner] = [end(100), end(20)];
    expect(deadlines.timeLeft).toBe(Number.POSITIVE_INFINITY);
    deadlines.set(outer);
    deadlines.set(inner);
    expect(deadlines.timeLeft).toBe(20);
    deadlines.set(outer);
    expect(deadlines.timeLeft).toBe(100);
    deadlines.set(undefined);
    expect(deadlines.timeLeft).toBe(Number.POSITIVE_INFINITY);
  });

  test('is without an end once tests have run side by side: none is cut short by the end of another', () => {
    const deadlines = new Deadlines();
    const [first, second] = [end(5), end(100)];
    deadlines.set(first);
    deadlines.set(second);
    // The first ends while the second continues.
    deadlines.set(undefined);
    expect(deadlines.timeLeft).toBe(Number.POSITIVE_INFINITY);
    deadlines.set(first);
    expect(deadlines.timeLeft).toBe(Number.POSITIVE_INFINITY);
  });
});
