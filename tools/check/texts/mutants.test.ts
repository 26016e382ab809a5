// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { mutants } from '../../mutants/mutants.ts';
import { problemsWith, source } from '../fixture-tree.ts';
import { mutantsFit } from './mutants.ts';

test('a mutant whose text is gone, or stands twice, is named', async () => {
  const [first] = mutants;
  const text = first?.text ?? '';
  const files = { 'tools/mutants/mutants.ts': source(''), [first?.file ?? '']: source(`${text}\n${text}`) };
  const problems = await problemsWith(mutantsFit, files);
  expect(problems[0]).toMatchObject({ rule: 'stale-mutant', message: expect.stringContaining('stands 2 times') });
  expect(problems.at(-1)?.message).toContain('does not exist');
});
