// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { memoryOf } from './memory-of.ts';

test('the memory of this process is what Node.js says, in bytes, and its peak is no less', () => {
  const { peak, resident } = memoryOf(process.pid);
  const rss = process.memoryUsage.rss();
  expect(resident / rss).toBeGreaterThan(0.5);
  expect(resident / rss).toBeLessThan(2);
  expect(peak).toBeGreaterThanOrEqual(resident);
});

test('a process that is gone has none', () => {
  expect(() => memoryOf(2 ** 30)).toThrow(/ENOENT/);
});
