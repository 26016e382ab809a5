// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PartLimits } from './part-driver.ts';
import { buffersAllowed, mebibyte, partBytes, usualPartBytes } from './part-sizes.ts';

const s3: PartLimits = {
  firstPartBytes: usualPartBytes,
  maxParts: 10_000,
  maxPartBytes: 4096 * mebibyte,
  partsInFlight: 4,
};

function capacity(limits: PartLimits): number {
  let bytes = 0;
  for (let number = 1; number <= limits.maxParts; number++) bytes += partBytes(limits, number);
  return bytes;
}

describe('part sizes', () => {
  test('of S3 hold more than its biggest object', () => {
    expect(capacity(s3)).toBeGreaterThan(5 * 1024 ** 4);
    expect(capacity({ ...s3, firstPartBytes: 5 * mebibyte })).toBeGreaterThan(4 * 1024 ** 4);
  });

  test('of S3 stay small for as long as etcd databases are', () => {
    const numberAt = (wanted: number) => {
      let number = 1;
      for (let bytes = 0; bytes < wanted; number++) bytes += partBytes(s3, number);
      return number;
    };
    expect(partBytes(s3, numberAt(7 * 1024 ** 3))).toBe(8 * mebibyte);
    expect(partBytes(s3, numberAt(100 * 1024 ** 3))).toBeLessThanOrEqual(64 * mebibyte);
  });

  test('never shrink, and never pass what the store takes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 20_000 }),
        fc.integer({ min: 0, max: 30_000 }),
        (firstPartBytes, maxParts, before) => {
          const limits = { ...s3, firstPartBytes, maxParts, maxPartBytes: firstPartBytes * 100 };
          const size = partBytes(limits, before + 1);
          expect(size).toBeGreaterThanOrEqual(partBytes(limits, Math.max(1, before)));
          expect(size).toBeLessThanOrEqual(limits.maxPartBytes);
        },
      ),
    );
  });
});

test('buffers stay within their budget, as long as one fits', () => {
  const budget = 40 * mebibyte;
  expect(buffersAllowed(s3, 8 * mebibyte, budget)).toBe(5);
  expect(buffersAllowed(s3, 16 * mebibyte, budget)).toBe(2);
  expect(buffersAllowed(s3, 64 * mebibyte, budget)).toBe(1);
  expect(buffersAllowed(s3, mebibyte, budget)).toBe(5);
  expect(buffersAllowed({ ...s3, partsInFlight: 1 }, 8 * mebibyte, budget)).toBe(2);
});
