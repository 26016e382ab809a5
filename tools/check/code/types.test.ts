// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { types } from './types.ts';

const file = 'packages/ports/src/trial.ts';

const broken: readonly (readonly [rule: string, why: string, text: string])[] = [
  ['TS2322', 'a wrong type', "export const trial: number = 'one';"],
  ['TS2322', 'an index that may be out of range', 'const list = [1];\nexport const trial: number = list[0];'],
  ['TS2375', 'an optional field set to undefined', 'export const trial: { one?: number } = { one: undefined };'],
  ['TS1294', 'syntax that cannot be stripped', 'export enum Trial {\n  One,\n}'],
];

test.each(broken)('%s: %s is named with its file', async (rule, _why, text) => {
  const problems = await problemsWith(types, { [file]: source(text) });
  expect(problems).toContainEqual(expect.objectContaining({ rule, file, line: expect.any(Number) }));
});

test('a configuration that tsc refuses is a problem, not a success', async () => {
  const problems = await problemsWith(types, { 'tsconfig.json': '{ "include": ["nowhere"] }' });
  expect(problems).toHaveLength(1);
});
