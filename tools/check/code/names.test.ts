// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { names } from './names.ts';

test.each([
  'packages/ports/src/utils.ts',
  'packages/ports/src/util.test.ts',
  'packages/ports/src/helpers/clock.ts',
  'packages/common/src/index.ts',
  'docs/misc.md',
  'tools/Shared/x.ts',
])('%s says nothing and is refused', async (file) => {
  const problems = await problemsWith(names, { [file]: source('') });
  expect(problems).toEqual([expect.objectContaining({ rule: 'no-empty-name', file })]);
});

test.each(['packages/ports/src/shared-informer.ts', 'packages/ports/src/common-name.ts'])(
  '%s is fine',
  async (file) => {
    expect(await problemsWith(names, { [file]: source('') })).toEqual([]);
  },
);
