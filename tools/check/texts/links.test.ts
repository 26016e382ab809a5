// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { problemsWith } from '../fixture-tree.ts';
import { links } from './links.ts';

const file = 'docs/trial.md';

test.each([
  ['broken-link', 'See [there](nowhere.md).'],
  ['broken-link', 'See [there](../packages/nothing#part).'],
  ['absent-name', 'See [`dusk`](../packages/ports/src/noon.ts).'],
  ['unknown-script', 'Type `npm run fly`.'],
])('%s: %s', async (rule, text) => {
  const problems = await problemsWith(links, { [file]: `# Trial\n\n${text}\n` });
  expect(problems).toEqual([expect.objectContaining({ rule, file, line: 3 })]);
});

test.each(['../packages/ports/noon.ts', '../packages/ports/midday.ts'])(
  '%s was moved or renamed: what is meant is named',
  async (path) => {
    const [problem] = await problemsWith(links, { [file]: `See [\`noon\`](${path}).\n` });
    expect(problem?.message).toBe(`${path} does not exist: write ../packages/ports/src/noon.ts`);
  },
);

test.each([
  '[a](../packages/ports)',
  '[`noon`](../packages/ports/src/noon.ts)',
  '[b](trial.md#part)',
  '[c](#part)',
  '[d](https://etcd.io)',
  '`npm run check`',
])('fine: %s', async (text) => {
  expect(await problemsWith(links, { [file]: `${text}\n` })).toEqual([]);
});
