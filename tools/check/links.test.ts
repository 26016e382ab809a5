// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { problemsWith } from './fixture-tree.ts';
import { links } from './links.ts';

const file = 'docs/trial.md';

test.each([
  ['broken-link', 'See [there](nowhere.md).'],
  ['broken-link', 'See [there](../packages/nothing#part).'],
  ['unknown-script', 'Type `npm run fly`.'],
])('%s: %s', async (rule, text) => {
  const problems = await problemsWith(links, { [file]: `# Trial\n\n${text}\n` });
  expect(problems).toEqual([expect.objectContaining({ rule, file, line: 3 })]);
});

test.each(['[a](../packages/ports)', '[b](trial.md#part)', '[c](#part)', '[d](https://etcd.io)', '`npm run check`'])(
  'fine: %s',
  async (text) => {
    expect(await problemsWith(links, { [file]: `${text}\n` })).toEqual([]);
  },
);
