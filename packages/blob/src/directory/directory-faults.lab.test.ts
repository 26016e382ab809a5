// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BlobError } from '../blob-error.ts';
import type { BlobStore } from '../blob-store.ts';
import { bytesOf, chunked, collect, sha256 } from '../testing/bodies.ts';
import { testEarlyStop } from '../testing/kit/early-stop-rows.ts';
import { EscapedErrors } from '../testing/kit/escaped-errors.ts';
import { failure } from '../testing/kit/kit-subject.ts';
import { type KitRow, rowsOf } from '../testing/kit/kit-table.ts';
import { openDirectory } from './open-directory.ts';
import { uploadName } from './upload-name.ts';

let root: string;
let store: BlobStore;
const escaped = new EscapedErrors(process);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'blob-faults-'));
  store = openDirectory({ root, partBytes: 1024 });
});
afterEach(async () => {
  await rm(root, { recursive: true });
  expect(await escaped.taken()).toEqual([]);
});
afterAll(() => escaped[Symbol.dispose]());

/** Changes a byte of a file as soon as it exists. */
async function damage(path: string): Promise<void> {
  for (;;) {
    const bytes = await readFile(path).catch(() => undefined);
    if (!bytes) continue;
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    return writeFile(path, bytes);
  }
}

/** Rows that need a separate volume, and their tests. */
const elsewhere = {
  'no answer at all': 'frozen-volume.lab.test.ts',
  'refused, throttled, skewed, full': 'full-disk.lab.test.ts',
} as const satisfies Readonly<Partial<Record<KitRow, string>>>;

/** The other faults of the kit that a directory can have. */
const rows: Readonly<Partial<Record<KitRow, () => void>>> = {
  'byte changed while reading': () => {
    test('is noticed by who knows the hash', async () => {
      const body = bytesOf(5_000);
      await store.put('a', chunked(body));
      const options = { sha256: sha256(body) };
      expect(await collect(store.get('a', { offset: 0 }, options))).toEqual(body);
      await damage(join(root, 'a'));
      await expect(collect(store.get('a', { offset: 0 }, options))).rejects.toMatchObject({ code: 'ChecksumMismatch' });
    });
  },

  'store without checksums': () => {
    test.each([100, 5_000])('%i bytes are read back', async (length) => {
      expect(await store.put('a', chunked(bytesOf(length)))).toMatchObject({ proof: 'read-back' });
    });
  },

  'object replaced while read': () => {
    test('by another of the same length', async () => {
      await store.put('a', chunked(bytesOf(600_000, 1)));
      const read = async () => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of store.get('a')) {
          if (chunks.length === 0) await store.put('a', chunked(bytesOf(600_000, 2)));
          chunks.push(chunk);
        }
        return Buffer.concat(chunks);
      };
      // The opened file is still the old one.
      expect(sha256(await read())).toBe(sha256(bytesOf(600_000, 1)));
    });
  },

  'clean-up fails': () => {
    test('what was left is swept, and nothing else', async () => {
      await store.put('etcd_v1', chunked(Buffer.from('before')));
      const left = join(root, uploadName('etcd_v1', crypto.randomUUID()));
      await writeFile(left, 'half');
      await utimes(left, 1, 1);
      expect(await store.sweep('other', Date.now())).toBe(0);
      expect(await store.sweep('etcd', Date.now())).toBe(1);
      expect(await readdir(root)).toEqual(['etcd_v1']);
    });
  },

  'the caller abandons a read, a write or a listing': () => {
    const open = async () => openDirectory({ root, partBytes: 64 * 1024 });
    testEarlyStop(() => ({ open, spoil: () => {}, partBytes: 64 * 1024, escaped: () => escaped.taken() }), ['none']);

    test('a small object that is not finished leaves nothing', async () => {
      const stop = new AbortController();
      let asked = 0;
      // Called before each change: the file exists, but not yet in its final place.
      const fence = () => {
        asked += 1;
        if (asked === 2) stop.abort();
      };
      const left = openDirectory({ root, partBytes: 1024, fence });
      expect(await failure(left.put('a', chunked(bytesOf(100)), stop))).toMatchObject({ code: 'Aborted' });
      await expect.poll(() => readdir(root), { timeout: 5_000 }).toEqual(['left']);
    });

    test('a file that a reader left open is closed with the store', async () => {
      const open = openDirectory({ root, partBytes: 1024 });
      await open.put('a', chunked(bytesOf(600_000)));
      const reader = open.get('a')[Symbol.asyncIterator]();
      await reader.next();
      open.close();
      expect(await failure(reader.next())).toBeInstanceOf(BlobError);
    });
  },
};

describe.each(Object.keys(rows) as (keyof typeof rows)[])('%s', (row) => {
  rows[row]?.();
});

test('every row of the kit that applies is here or where it is said to be', async () => {
  expect([...Object.keys(rows), ...Object.keys(elsewhere)].sort()).toEqual([...rowsOf('directory')].sort());
  for (const [row, file] of Object.entries(elsewhere))
    expect(await readFile(new URL(file, import.meta.url), 'utf8')).toContain(`describe('${row}', `);
});
