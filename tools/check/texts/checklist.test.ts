// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { checklist } from './checklist.ts';

const list = { 'tools/checklist/checklist.ts': source('') };
const file = 'apps/operator/src/trial.test.ts';
/** Split, so that this file names no line. */
const named = (tags: string) => source(`test('${tags} something', () => {});`);

test('a line without a test is named with its sentence', async () => {
  const problems = await problemsWith(checklist, { ...list, [file]: named('[2] [3]') });
  const numbers = problems.map(({ message }) => /"\[(\d+)\]/.exec(message)?.[1]);
  expect(numbers).toContain('1');
  expect(numbers).not.toContain('2');
  expect(numbers).not.toContain('3');
  expect(problems[0]).toMatchObject({ rule: 'untested-line', file: 'tools/checklist/checklist.ts' });
});

test('what is new must have one too', async () => {
  const problems = await problemsWith(checklist, list);
  expect(problems.map(({ message }) => message)).toContainEqual(expect.stringContaining('"[68]'));
});

test('a number that is on no line is named', async () => {
  const problems = await problemsWith(checklist, { ...list, [file]: named('[999]') });
  expect(problems.at(-1)).toMatchObject({ rule: 'unknown-line', file });
});
