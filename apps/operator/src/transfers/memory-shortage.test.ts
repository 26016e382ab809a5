// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { memoryIsShort } from './memory-shortage.ts';

const gibibyte = 1024 ** 3;

test.each([
  [gibibyte, 0.7 * gibibyte, false],
  [gibibyte, 0.9 * gibibyte, true],
  [0, 20 * gibibyte, false],
  [undefined, 20 * gibibyte, false],
  // What libuv reports in a container without a limit.
  [2 ** 64, 20 * gibibyte, false],
])('with a limit of %s bytes, %s are too many: %s', (limit, used, isShort) => {
  expect(memoryIsShort({ limit, used })).toBe(isShort);
});
