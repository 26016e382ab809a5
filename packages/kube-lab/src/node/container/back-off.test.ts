// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { BackOffEntry } from '../pod/pod-facts.ts';
import { goDuration, kubeletBackOff, nextEntry, retryAt } from './back-off.ts';

describe('back-off', () => {
  const policy = kubeletBackOff(1);

  test('doubles from 10 s to 5 min', () => {
    let entry: BackOffEntry | undefined;
    const delays = Array.from({ length: 8 }, () => {
      entry = nextEntry(policy, entry, 'h', 0);
      return entry.delay / 1000;
    });
    expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test('starts again for another container, and after ten minutes', () => {
    const grown = { delay: 160_000, updatedAt: 0, hash: 'h' };
    expect(nextEntry(policy, grown, 'other', 1).delay).toBe(10_000);
    expect(nextEntry(policy, grown, 'h', 600_000).delay).toBe(300_000);
    expect(nextEntry(policy, grown, 'h', 600_001).delay).toBe(10_000);
    expect(retryAt(policy, grown, 'other', 5)).toBe(5);
    expect(retryAt(policy, grown, 'h', 5)).toBe(160_005);
    expect(retryAt(policy, undefined, 'h', 5)).toBe(5);
  });

  test('is shortened by a time factor', () => {
    expect(kubeletBackOff(100)).toEqual({ initial: 100, max: 3000 });
  });
});

test.each([
  [500, '500ms'],
  [10_000, '10s'],
  [80_000, '1m20s'],
  [300_000, '5m0s'],
  [1500, '1.5s'],
  [3_661_000, '1h1m1s'],
])('%i ms are written %s', (milliseconds, text) => {
  expect(goDuration(milliseconds)).toBe(text);
});
