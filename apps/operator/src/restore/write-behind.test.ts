// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WriteBehind } from './write-behind.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'write-behind-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('whatever the pieces, the file is what was written, and so is what was seen on the way', async () => {
  const sizes = fc.array(fc.oneof(fc.nat(100), fc.nat(3_000_000)), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(255), async (lengths, first) => {
      const file = join(directory, 'file');
      const handle = await open(file, 'w');
      const seen: Buffer[] = [];
      const behind = new WriteBehind(handle, (batch) => seen.push(Buffer.from(batch)));
      const pieces = lengths.map((length, index) => Buffer.alloc(length, first + index));
      for (const piece of pieces) {
        const given = Buffer.from(piece);
        await behind.write(given);
        // The caller may reuse its buffer.
        given.fill(0);
      }
      await behind.finish();
      await handle.close();
      expect((await readFile(file)).equals(Buffer.concat(pieces))).toBe(true);
      expect(Buffer.concat(seen).equals(Buffer.concat(pieces))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('a fault of the disk is thrown, at the end at the latest', async () => {
  const handle = await open('/dev/full', 'w');
  const behind = new WriteBehind(handle);
  const written = (async () => {
    for (let index = 0; index < 3; index++) await behind.write(Buffer.alloc(700_000));
    await behind.finish();
  })();
  await expect(written).rejects.toThrow('ENOSPC');
  await handle.close();
});
