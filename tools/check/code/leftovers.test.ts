// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { leftovers } from './leftovers.ts';

const file = 'packages/ports/src/trial.test.ts';

/** Split, so that this file does not violate the rules that it tests. */
const apart = (...parts: string[]) => parts.join('');

describe('leftovers', () => {
  test.each([
    ['no-skipped-test', apart('test.sk', "ip('x', () => {});")],
    ['no-skipped-test', apart('describe.on', "ly('x', () => {});")],
    ['no-skipped-test', apart('it.sk', "ipIf(true)('x', () => {});")],
    ['no-unfinished-mark', apart('// TO', 'DO: later')],
    ['no-unfinished-mark', apart('// FIX', 'ME')],
    ['no-silenced-checker', apart('// @ts-', 'ignore')],
    ['no-silenced-checker', apart('// biome-', 'ignore lint: x')],
    ['no-silenced-checker', apart('// oxlint-', 'disable-next-line')],
    ['no-any', apart('const x = y as ', 'any;')],
    ['no-any', apart('function f(x: ', 'any) {}')],
  ])('%s: %s', async (rule, line) => {
    const problems = await problemsWith(leftovers, { [file]: source(`\n${line}`) });
    expect(problems).toEqual([expect.objectContaining({ rule, file, line: 3 })]);
  });

  test('documentation may speak of them', async () => {
    expect(await problemsWith(leftovers, { 'docs/trial.md': apart('No TO', 'DO marks.\n') })).toEqual([]);
  });
});
