// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FinishedFile, tallyLine, tallyOf } from './tally.ts';

const result = fc.constantFrom('passed' as const, 'failed' as const, 'skipped' as const, 'pending' as const);
const file: fc.Arbitrary<FinishedFile> = fc.record({ tests: fc.array(result), broken: fc.boolean() });

test('nothing red ever adds up to green', () => {
  fc.assert(
    fc.property(fc.array(file), fc.nat(3), (files, stray) => {
      const { failed } = tallyOf(files, stray);
      const red = stray > 0 || files.some(({ tests, broken }) => broken || /failed|pending/.test(tests.join()));
      expect(failed > 0).toBe(red);
    }),
  );
});

test('a file that failed through its tests counts by its tests alone', () => {
  expect(tallyOf([{ tests: ['passed', 'failed', 'failed', 'skipped'], broken: true }], 0)).toEqual({
    passed: 1,
    failed: 2,
  });
});

test('a file that did not load, a hook and a stray error count as one each', () => {
  const files: FinishedFile[] = [
    { tests: [], broken: true },
    { tests: ['passed'], broken: true },
  ];
  expect(tallyOf(files, 1)).toEqual({ passed: 1, failed: 3 });
});

test('the line is plain', () => {
  expect(tallyLine({ passed: 12, failed: 0 })).toBe('12 passed, 0 failed');
});
