// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { differences, tableOf } from './sweep.ts';

const ended = (...end: readonly string[]) => ({ end, writes: ['POST pods'], hasStruck: true, problems: [] });

test('two runs that end alike do not differ', () => {
  expect(differences(ended('a', 'b'), ended('a', 'b'))).toEqual([]);
});

test('missing and additional lines are reported, also duplicates', () => {
  expect(differences(ended('a', 'a', 'c'), ended('a', 'b', 'b'))).toEqual([
    'there is also a (POST pods)',
    'there is also c (POST pods)',
    'there is no b (POST pods)',
    'there is no b (POST pods)',
  ]);
});

test('what the client found and a run that failed are differences', () => {
  expect(differences({ ...ended(), problems: ['1 was read after 2'] }, ended())).toEqual([
    '1 was read after 2 (POST pods)',
  ]);
  expect(differences(new Error('not within 5 ms'), ended())).toEqual(['not within 5 ms']);
});

test('the table counts crash points that failed once, however many differences they have', () => {
  const failures = ['create 3: killed at write 2: x', 'create 3: killed at write 2: y'];
  expect(tableOf([{ workload: 'create 3', writes: 3, points: 9, failures }]).split('\n')[1]).toMatch(/8 of 9/);
});
