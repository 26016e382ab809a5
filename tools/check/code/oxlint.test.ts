// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { oxlint } from './oxlint.ts';

const file = 'packages/ports/src/trial.ts';

const broken: readonly (readonly [rule: string, line: number, text: string])[] = [
  ['no-floating-promises', 4, 'async function work() {}\nexport function trial() {\n  work();\n}'],
  ['no-misused-promises', 2, 'export const trial = () => [1].forEach(async () => {});'],
  ['await-thenable', 2, 'export const trial = async () => await 1;'],
  [
    'switch-exhaustiveness-check',
    3,
    "export function trial(x: 'a' | 'b') {\n  switch (x) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}",
  ],
  [
    'max-depth',
    6,
    'export function trial(x: number) {\n  if (x) {\n    if (x > 1) {\n      if (x > 2) {\n        if (x > 3) x += 1;\n      }\n    }\n  }\n}',
  ],
];

describe('promises and switches', () => {
  test.each(broken)('%s is named with its file and line', async (rule, line, text) => {
    const problems = await problemsWith(oxlint, { [file]: source(text) });
    expect(problems).toContainEqual(expect.objectContaining({ rule: expect.stringContaining(rule), file, line }));
  });

  test('where steps are switched over, a default hides none of them', async () => {
    const text =
      "export function trial(x: 'a' | 'b') {\n  switch (x) {\n    case 'a':\n      return 1;\n    default:\n      return 2;\n  }\n}";
    const problems = await problemsWith(oxlint, { 'apps/kubectl-etcd/src/trial.ts': source(text) });
    const rule = expect.stringContaining('switch-exhaustiveness-check');
    expect(problems).toContainEqual(expect.objectContaining({ rule, line: 3 }));
  });

  test('elsewhere a switch with a default has decided about the rest', async () => {
    const text =
      "export function trial(x: 'a' | 'b') {\n  switch (x) {\n    case 'a':\n      return 1;\n    default:\n      return 2;\n  }\n}";
    expect(await problemsWith(oxlint, { [file]: source(text) })).toEqual([]);
  });
});
