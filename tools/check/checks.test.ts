// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { checks } from './checks.ts';
import { problemsWith } from './fixture-tree.ts';

test.each(checks.map((check) => ({ name: check.name, check })))('a sound tree passes: $name', async ({ check }) => {
  expect(await problemsWith(check, {})).toEqual([]);
});

test('each check has a unique name', () => {
  expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length);
});
