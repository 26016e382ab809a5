// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { problemsWith } from '../fixture-tree.ts';
import { lockfile } from './lockfile.ts';

const check = (packages: object) =>
  problemsWith(lockfile, { 'package-lock.json': `${JSON.stringify({ packages }, null, 2)}\n` });

const asking = { optionalDependencies: { '@x/darwin': '1.0.0' } };

test('an optional package without an entry is a problem', async () => {
  const [problem, ...more] = await check({ '': {}, 'node_modules/x': asking });
  expect(more).toEqual([]);
  expect(problem).toMatchObject({ rule: 'missing-lock-entry', file: 'package-lock.json' });
  expect(problem?.message).toContain('node_modules/x needs @x/darwin 1.0.0');
});

test.each(['node_modules/@x/darwin', 'node_modules/x/node_modules/@x/darwin'])(
  'an entry at %s is fine',
  async (path) => {
    expect(await check({ '': {}, 'node_modules/x': asking, [path]: { version: '1.0.0' } })).toEqual([]);
  },
);

test('an entry inside another package is none', async () => {
  const elsewhere = { 'node_modules/y/node_modules/@x/darwin': { version: '1.0.0' } };
  expect(await check({ '': {}, 'node_modules/x': asking, ...elsewhere })).toHaveLength(1);
});
