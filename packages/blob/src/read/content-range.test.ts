// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { answeredRange } from './content-range.ts';

const answer = (status: number, contentRange?: string, contentLength?: number) =>
  answeredRange({ status, contentRange, contentLength });

test('a range tells where it begins and how long the whole is', () => {
  expect(answer(206, 'bytes 5-9/100', 5)).toEqual({ start: 5, total: 100, isTold: true });
});

test('all of it tells only its own length', () => {
  expect(answer(200, undefined, 100)).toEqual({ start: 0, total: 100, isTold: false });
});

test('an invalid range', () => {
  expect(answer(206, 'bytes 0--1/0', 0)).toBeUndefined();
});

test.each([
  [206, undefined, 5],
  [206, 'bytes 5-9/*', 5],
  [206, 'bytes */100', 5],
  [200, undefined, undefined],
])('%i with %s and %s bytes proves nothing', (status, range, length) => {
  expect(() => answer(status, range, length)).toThrow('without a valid Content-Range');
});
