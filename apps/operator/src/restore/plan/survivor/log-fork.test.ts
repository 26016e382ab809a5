// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forkBetween } from './log-fork.ts';

/** A log from the terms of its entries, beginning at index 1. */
function logOf(entries: readonly number[]) {
  const starts = entries.flatMap((term, place) => (entries[place - 1] === term ? [] : [[place + 1, term] as const]));
  return { index: entries.length, term: entries.at(-1) ?? 0, terms: starts };
}

/** Compares entry by entry. */
function firstDifference(a: readonly number[], b: readonly number[]): number | undefined {
  const place = a.findIndex((term, index) => index < b.length && b[index] !== term);
  return place === -1 ? undefined : place + 1;
}

test('two logs differ from the first entry on whose term differs', () => {
  // Logs as raft creates them: common entries first, then different entries in each, with rising terms that the other log does not have.
  const rising = (terms: readonly number[]) => [...terms].sort((x, y) => x - y);
  const common = fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }).map(rising);
  const own = (among: readonly number[]) => fc.array(fc.constantFrom(...among), { maxLength: 12 }).map(rising);
  fc.assert(
    fc.property(common, own([5, 7, 9]), own([6, 8, 10]), (shared, ofA, ofB) => {
      const [a, b] = [
        [...shared, ...ofA],
        [...shared, ...ofB],
      ];
      expect(forkBetween(logOf(a), logOf(b))).toBe(firstDifference(a, b));
      expect(forkBetween(logOf(b), logOf(a))).toBe(firstDifference(a, b));
    }),
    { numRuns: 1_000 },
  );
});

test('what is not told is not known, unless the last terms are the same', () => {
  const untold = { index: 5, term: 2, terms: [] };
  expect(forkBetween(untold, logOf([1, 1, 3]))).toBe('unknown');
  expect(forkBetween(untold, logOf([1, 1, 2]))).toBeUndefined();
});
