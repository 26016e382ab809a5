// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { fileSize, quantile } from './file-size.ts';

const file = 'packages/ports/src/trial.ts';

describe('file sizes', () => {
  test('a file over 500 lines is refused', async () => {
    const problems = await problemsWith(fileSize, { [file]: source('\n'.repeat(500)) });
    expect(problems).toEqual([expect.objectContaining({ rule: 'file-size', file })]);
  });

  test('a header that gives the reason is accepted', async () => {
    const text = source(`/** Reason for length: one table. */${'\n'.repeat(600)}`);
    expect(await problemsWith(fileSize, { [file]: text })).toEqual([]);
  });

  test('500 lines are just allowed, and generated files do not count', async () => {
    const files = { [file]: source('\n'.repeat(498)), 'packages/kube/src/generated/core.ts': '\n'.repeat(900) };
    expect(await problemsWith(fileSize, files)).toEqual([]);
  });

  test('a quantile is a value of the list that so many do not exceed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
        const value = quantile(list, share);
        const notAbove = list.filter((one) => one <= value).length;
        return list.includes(value) && notAbove >= Math.ceil(list.length * share);
      }),
    );
  });

  test('the quantile of nothing is 0', () => {
    expect(quantile([], 0.5)).toBe(0);
  });
});
