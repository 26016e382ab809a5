// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { Reader } from './testing/reader.ts';
import { installPage } from './testing/typed-pages.ts';

/** The steps that backup.md and restore.md skip for these installations: one Deployment runs everything. */
const isForWalkThrough = (section: string) =>
  [
    'The backup controller',
    'The restore controller',
    'Remove the backup controller',
    'Remove the controllers',
  ].includes(section);

/** After every installation, the later pages of the guide work as written. */
test.each([
  ['One file', ['docs/guide/first-cluster.md', 'docs/guide/backup.md', 'docs/guide/restore.md']],
  ['Helm', ['docs/guide/first-cluster.md']],
])(
  'installed by the section "%s", what comes next works as its page says',
  async (way, pages) => {
    await using reader = await Reader.sitDown('--empty');
    expect(await reader.follow(installPage, (section) => section === way)).toBe(1);
    for (const page of pages)
      expect(await reader.follow(page, (section) => !isForWalkThrough(section))).toBeGreaterThan(5);
  },
  600_000,
);
