// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAhead } from './read-ahead.ts';

const mebibyte = 1024 * 1024;

let file = '';
let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'read-ahead-'));
  file = join(directory, 'file');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function isOpen(): Promise<boolean> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.includes(file);
}

test('whatever its length, a file is read as it is, though pieces are overwritten once they are used', async () => {
  const lengths = fc.oneof(fc.constantFrom(0, mebibyte, 3 * mebibyte), fc.nat(4 * mebibyte));
  await fc.assert(
    fc.asyncProperty(lengths, async (length) => {
      const content = randomBytes(length);
      await writeFile(file, content);
      const seen: Buffer[] = [];
      for await (const piece of readAhead(file)) {
        seen.push(Buffer.from(piece));
        piece.fill(0);
      }
      expect(Buffer.concat(seen).equals(content)).toBe(true);
      expect(await isOpen()).toBe(false);
    }),
    { numRuns: 20 },
  );
});

test('who stops in the middle leaves no open file, nor does who never begins', async () => {
  await writeFile(file, Buffer.alloc(3 * mebibyte));
  readAhead(file);
  expect(await isOpen()).toBe(false);
  for await (const _ of readAhead(file)) break;
  expect(await isOpen()).toBe(false);
});

test('a file that is not there is an error of whoever reads', async () => {
  await expect(readAhead(join(directory, 'nothing')).next()).rejects.toMatchObject({ code: 'ENOENT' });
});
