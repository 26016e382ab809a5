// SPDX-License-Identifier: Apache-2.0
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actionsOf } from './testing/page.ts';
import { Reader } from './testing/reader.ts';

const repository = join(import.meta.dirname, '../..');

/** All others start from what it installs; it ends with removing that. */
const install = 'docs/guide/install.md';
const isRemoval = (section: string) => section === 'Uninstall';

const pages = [
  'docs/guide/first-cluster.md',
  'docs/guide/fields.md',
  'docs/guide/volumes.md',
  'docs/guide/tls.md',
  'docs/guide/upgrade.md',
  'docs/guide/kubectl-etcd.md',
  'docs/guide/backup.md',
  'docs/guide/restore.md',
  'docs/guide/runbooks/disk-full.md',
];

let reader: Reader;
beforeAll(async () => {
  reader = await Reader.sitDown();
});
afterAll(() => reader?.[Symbol.asyncDispose]());

describe('the user guide, typed as written', () => {
  test('install', async () => {
    expect(await reader.follow(install, (section) => !isRemoval(section))).toBeGreaterThan(0);
  });

  test.each(pages)(
    '%s',
    async (page) => {
      expect(await reader.follow(page)).toBeGreaterThan(0);
    },
    300_000,
  );

  test('uninstall', async () => {
    expect(await reader.follow(install, isRemoval)).toBeGreaterThan(0);
  });
});

test('every page with commands is typed by a test', () => {
  const all = readdirSync(join(repository, 'docs/guide'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/guide/${file}`);
  expect(all.filter((page) => actionsOf(join(repository, page)).length > 0).sort()).toEqual([install, ...pages].sort());
});
