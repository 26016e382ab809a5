// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { untilExpiry } from './time-to-live.ts';

const finishedAt = 1_000_000_000;
const hour = 3_600_000;

test.each([
  ['without a time to live it stays', { ttlSeconds: undefined, finishedAt, seenFor: hour }, hour, undefined],
  ['unfinished work stays', { ttlSeconds: 1, finishedAt: undefined, seenFor: hour }, hour, undefined],
  ['it goes when the time is over', { ttlSeconds: 60, finishedAt, seenFor: 60_000 }, 60_000, 0],
  ['not before', { ttlSeconds: 60, finishedAt, seenFor: 59_000 }, 59_000, 1_000],
  ['0 is at once', { ttlSeconds: 0, finishedAt, seenFor: 0 }, 0, 0],
  ['a clock that was set forward ends nothing at once', { ttlSeconds: 60, finishedAt, seenFor: 0 }, 900 * hour, 60_000],
  ['a new process watches for an hour at most', { ttlSeconds: 86_400, finishedAt, seenFor: hour }, 24 * hour, 0],
  ['a clock that was set back makes it stay', { ttlSeconds: 60, finishedAt, seenFor: hour }, -hour, hour + 60_000],
])('%s', (_name, object, later, expected) => {
  expect(untilExpiry(object, finishedAt + later)).toBe(expected);
});
