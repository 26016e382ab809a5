// SPDX-License-Identifier: Apache-2.0
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { all } from '../testing/bodies.ts';
import { listFiles } from './list-files.ts';

test('a list that goes on after any key is the rest of the whole list', async () => {
  const root = await mkdtemp(join(tmpdir(), 'blob-list-'));
  const segment = fc.constantFrom('a', 'b', 'ab', 'a-', 'a.', 'a0', 'ö');
  const keys = fc.uniqueArray(
    fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/')),
    { maxLength: 15 },
  );
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      keys,
      fc.constantFrom('', 'a', 'a/', 'a/a', 'b/a.', 'ab'),
      fc.nat(20),
      async (wanted, prefix, pick) => {
        round += 1;
        const directory = join(root, String(round));
        await mkdir(directory);
        const made: string[] = [];
        for (const key of wanted) {
          // A key that is a directory of another key cannot be a file too.
          if (wanted.some((other) => other !== key && other.startsWith(`${key}/`))) continue;
          await mkdir(dirname(join(directory, key)), { recursive: true });
          await writeFile(join(directory, key), '');
          made.push(key);
        }
        const inOrder = made.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const expected = inOrder.filter((key) => key.startsWith(prefix));
        const list = async (after?: string) =>
          (await all(listFiles({ root: directory, on: (call) => call() }, prefix, after))).map(({ key }) => key);
        expect(await list()).toEqual(expected);
        const after = expected[pick % Math.max(1, expected.length)];
        expect(await list(after)).toEqual(after === undefined ? [] : expected.slice(expected.indexOf(after) + 1));
      },
    ),
    { numRuns: 60 },
  );
  await rm(root, { recursive: true });
});
