// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasQuorum, isWastefulSize, quorum, tolerance } from './quorum.ts';

describe('quorum arithmetic (operator rule 14)', () => {
  test.each([
    [1, 1, 0],
    [2, 2, 0],
    [3, 2, 1],
    [4, 3, 1],
    [5, 3, 2],
    [6, 4, 2],
    [7, 4, 3],
  ])('%i voters: quorum %i, %i may be lost', (voters, needed, lost) => {
    expect(quorum(voters)).toBe(needed);
    expect(tolerance(voters)).toBe(lost);
  });

  test('no voters: no tolerance and no quorum', () => {
    expect(tolerance(0)).toBe(0);
    expect(hasQuorum(0, 0)).toBe(false);
  });

  test('two quorums always share a voter', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 100 }), (voters) => 2 * quorum(voters) > voters));
  });

  test('quorum holds exactly while as many are healthy as must agree', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(20), (voters, healthy) => {
        expect(hasQuorum(voters, healthy)).toBe(healthy - quorum(voters) >= 0);
      }),
    );
  });

  test('even sizes bear no more than the odd size below', () => {
    for (const size of [2, 4, 6]) {
      expect(isWastefulSize(size)).toBe(true);
      expect(tolerance(size)).toBe(tolerance(size - 1));
    }
    for (const size of [1, 3, 5, 7]) expect(isWastefulSize(size)).toBe(false);
  });
});
