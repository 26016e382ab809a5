// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { describeOutcome, runChecks } from './run-checks.ts';

test('a check that breaks down fails, and the others still report', async () => {
  const broken = { name: 'broken', run: () => Promise.reject(new Error('no such program')) };
  const sound = { name: 'sound', run: async () => ({ problems: [] }) };
  const reported: string[] = [];
  const outcomes = await runChecks([broken, sound], import.meta.dirname, ({ name }) => reported.push(name));
  expect(reported.sort()).toEqual(['broken', 'sound']);
  expect(outcomes[0]?.problems[0]?.message).toContain('no such program');
  expect(outcomes[1]?.problems).toEqual([]);
});

test('an outcome reads: verdict, name, time, notes, then rule, place and remedy of each problem', () => {
  const text = describeOutcome({
    name: 'names',
    seconds: 0.04,
    notes: ['a fact'],
    problems: [
      { rule: 'no-empty-name', file: 'a/utils.ts', line: 3, message: 'rename it' },
      { rule: 'whole-tree', message: 'fix it' },
    ],
  });
  expect(text.split('\n')).toEqual([
    'FAILED names (0.0 s)',
    '         a fact',
    '       - [no-empty-name] a/utils.ts:3 rename it',
    '       - [whole-tree] fix it',
  ]);
  expect(describeOutcome({ name: 'names', seconds: 1, problems: [] })).toBe('ok     names (1.0 s)');
});
