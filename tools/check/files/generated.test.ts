// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { generated } from './generated.ts';

const generator = 'tools/generate/main.ts';

test('a generator that finds a stale file fails the check with what it said', async () => {
  const text =
    "process.stdout.write('deploy/crd.yaml differs');\nprocess.exitCode = process.argv[2] === '--check' ? 1 : 0;";
  const problems = await problemsWith(generated, { [generator]: source(text) });
  expect(problems).toEqual([
    expect.objectContaining({ rule: 'generated-files', message: expect.stringContaining('deploy/crd.yaml differs') }),
  ]);
  expect(problems[0]?.message).toContain('npm run generate');
});

test('a generator that is content passes', async () => {
  expect(await problemsWith(generated, { [generator]: source('export {};') })).toEqual([]);
});
