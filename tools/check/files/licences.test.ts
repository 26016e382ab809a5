// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { problemsWith } from '../fixture-tree.ts';
import { licences } from './licences.ts';

const rulesFor = async (entry: object) => {
  const packages = { '': {}, 'node_modules/x': entry };
  const problems = await problemsWith(licences, { 'package-lock.json': JSON.stringify({ packages }) });
  return problems.map(({ rule }) => rule);
};
const integrity = 'sha512-AQI=';

test.each(['MIT', 'Apache-2.0', '(MIT OR GPL-3.0)'])('%s may be shipped', async (license) => {
  expect(await rulesFor({ license, integrity })).toEqual([]);
});

test.each(['GPL-3.0', 'MIT AND GPL-3.0', undefined])('%s may not', async (license) => {
  expect(await rulesFor({ license, integrity })).toEqual(['licence']);
});

test('what only development needs may have another licence', async () => {
  expect(await rulesFor({ license: 'MPL-2.0', integrity, dev: true })).toEqual([]);
});

test('a package without a hash is a problem, in development as well', async () => {
  expect(await rulesFor({ license: 'MIT', dev: true })).toEqual(['missing-integrity']);
});

test('only a tool for another platform may have none', async () => {
  expect(await rulesFor({ license: 'MIT', dev: true, optional: true })).toEqual([]);
  expect(await rulesFor({ license: 'MIT', optional: true })).toEqual(['missing-integrity']);
});

test('a package of this repository needs neither', async () => {
  expect(await rulesFor({ link: true })).toEqual([]);
});
