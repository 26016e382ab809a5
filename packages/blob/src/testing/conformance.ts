// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isBlobError } from '../blob-error.ts';
import type { BlobStore, PutProgress } from '../blob-store.ts';
import { all, bytesOf, chunked, collect, sha256 } from './bodies.ts';
import { type Presigner, type PresignSupport, testPresigning } from './presign-suite.ts';
import { specialKeys } from './special-keys.ts';

/** A kind of store, with a real server if it needs one. */
export interface StoreSubject {
  /** Size of the parts that the store was opened with. */
  readonly partBytes: number;
  readonly store: BlobStore;
  /** The same server, with a bucket that does not exist. */
  readonly withoutBucket: BlobStore;
  /** The unfinished uploads that the server itself lists. */
  readonly leftovers: () => Promise<readonly string[]>;
  /** Creates an object with the content `x`, faster than `put`. */
  readonly seed?: (key: string) => Promise<unknown>;
  /** @default the store, if it supports presigned reads */
  readonly presigner?: Presigner;
  readonly close: () => Promise<void>;
}

/** The behaviour of every store. The same tests for all of them. */
export function testStore(open: () => Promise<StoreSubject>, presigning: PresignSupport = 'never'): void {
  let subject: StoreSubject;
  let store: BlobStore;

  beforeAll(async () => {
    subject = await open();
    store = subject.store;
  });
  afterAll(() => subject?.close());

  describe('put and get', () => {
    const sizes: readonly [string, (part: number) => number][] = [
      ['nothing', () => 0],
      ['one byte', () => 1],
      ['a part less one byte', (part) => part - 1],
      ['exactly one part', (part) => part],
      ['a part and one byte', (part) => part + 1],
      ['three parts', (part) => 3 * part],
    ];

    test.each(sizes)('%s', async (title, sizeOf) => {
      const key = `sizes/${title}`;
      const body = bytesOf(sizeOf(subject.partBytes));
      const result = await store.put(key, chunked(body));
      expect(result).toMatchObject({ key, bytes: body.byteLength, sha256: sha256(body) });
      expect(result.parts).toBe(Math.max(1, Math.ceil(body.byteLength / subject.partBytes)));
      expect(sha256(await collect(store.get(key)))).toBe(sha256(body));
      const found = await store.stat(key);
      expect(found).toMatchObject({ key, bytes: body.byteLength });
      expect(Math.abs(found.modifiedAt - Date.now())).toBeLessThan(300_000);
      expect(await subject.leftovers()).toEqual([]);
    });

    test('chunks of any size make the same object', async () => {
      const body = bytesOf(subject.partBytes + 12_345, 7);
      for (const size of [1 << 20, 4_097, subject.partBytes * 2]) {
        const result = await store.put('chunks', chunked(body, size));
        expect(result.sha256).toBe(sha256(body));
      }
      expect(sha256(await collect(store.get('chunks')))).toBe(sha256(body));
    });

    test('a body with empty chunks in it, and at its end', async () => {
      const body = bytesOf(subject.partBytes, 3);
      async function* withEmpty() {
        yield new Uint8Array(0);
        yield* chunked(body, 50_000);
        yield new Uint8Array(0);
      }
      expect(await store.put('empty-chunks', withEmpty())).toMatchObject({ parts: 1, sha256: sha256(body) });
    });

    test('progress is reported, and ends with everything', async () => {
      const body = bytesOf(subject.partBytes * 2 + 1);
      const seen: PutProgress[] = [];
      await store.put('progress', chunked(body), { onProgress: (progress) => seen.push(progress) });
      const stored = seen.map(({ bytesStored }) => bytesStored);
      expect(stored).toEqual(stored.toSorted((a, b) => a - b));
      expect(seen.at(-1)).toEqual({ bytesRead: body.byteLength, bytesStored: body.byteLength });
    });
  });

  describe('ranges', () => {
    const body = bytesOf(100_000, 9);
    beforeAll(() => store.put('ranges', chunked(body)));

    test.each([
      { offset: 0, length: 1 },
      { offset: 0, length: 4096 },
      { offset: 1, length: 99_998 },
      { offset: 99_999, length: 1 },
      { offset: 50_000 },
      { offset: 0 },
      { offset: 99_000, length: 5_000 },
      { offset: 100_000, length: 10 },
      { offset: 200_000 },
      { offset: 10, length: 0 },
    ])('$offset, $length', async ({ offset, length }) => {
      const range = { offset, ...(length === undefined ? {} : { length }) };
      const end = length === undefined ? undefined : offset + length;
      expect(await collect(store.get('ranges', range))).toEqual(body.subarray(offset, end));
    });

    test('of an empty object are empty', async () => {
      await store.put('ranges-empty', chunked(bytesOf(0)));
      expect(await collect(store.get('ranges-empty', { offset: 0, length: 10 }))).toHaveLength(0);
      expect(await collect(store.get('ranges-empty', { offset: 5 }))).toHaveLength(0);
    });

    test('a reader that has seen enough may leave', async () => {
      for await (const chunk of store.get('ranges')) {
        expect(chunk.byteLength).toBeGreaterThan(0);
        break;
      }
      expect(await store.stat('ranges')).toMatchObject({ bytes: 100_000 });
    });
  });

  describe('keys', () => {
    test.each(specialKeys)('%s', async (special) => {
      const key = `special/${special}`;
      const body = Buffer.from(special);
      await store.put(key, chunked(body));
      expect(await collect(store.get(key))).toEqual(body);
      expect(await store.stat(key)).toMatchObject({ key, bytes: body.byteLength });
      const listed = await all(store.list(key));
      expect(listed.map((item) => item.key)).toEqual([key]);
      await store.delete(key);
      await expect(store.stat(key)).rejects.toMatchObject({ code: 'NotFound' });
    });

    test.each([
      '',
      '/absolute',
      'a/../b',
      '..',
      'a//b',
      'a/',
      './a',
      'back\\slash',
      'nul\0',
      'line\nbreak',
      'x'.repeat(1025),
    ])('%j is refused before anything is sent', async (key) => {
      const refused = { code: 'InvalidPath' };
      await expect(store.put(key, chunked(bytesOf(1)))).rejects.toMatchObject(refused);
      await expect(store.stat(key)).rejects.toMatchObject(refused);
      await expect(store.delete(key)).rejects.toMatchObject(refused);
      await expect(collect(store.get(key))).rejects.toMatchObject(refused);
    });
  });

  describe('replacing and deleting', () => {
    test('a second put replaces the first, whatever their sizes', async () => {
      const sizes = [10, subject.partBytes + 5, 0, subject.partBytes * 2, 7];
      const etags = new Set<string | undefined>();
      for (const [seed, size] of sizes.entries()) {
        const body = bytesOf(size, seed + 20);
        const { etag } = await store.put('replaced', chunked(body));
        etags.add(etag);
        expect((await store.stat('replaced')).etag).toBe(etag);
        expect(sha256(await collect(store.get('replaced')))).toBe(sha256(body));
      }
      expect(etags.size).toBe(sizes.length);
    });

    test('delete removes one object and no other', async () => {
      for (const key of ['delete/a', 'delete/ab', 'delete/a.b']) await store.put(key, chunked(bytesOf(3)));
      await store.delete('delete/a');
      expect((await all(store.list('delete/'))).map(({ key }) => key)).toEqual(['delete/a.b', 'delete/ab']);
      await store.delete('delete/a');
    });
  });

  describe('lists', () => {
    const names = Array.from({ length: 1_050 }, (_, index) => `many/v${index}_x`);
    const sorted = names.toSorted();

    beforeAll(async () => {
      const put = subject.seed ?? ((key) => store.put(key, chunked(Buffer.from('x'))));
      for (let at = 0; at < names.length; at += 10) {
        await Promise.all(names.slice(at, at + 10).map(put));
      }
    });

    test('more keys than fit a page, in order, each once', async () => {
      const listed = await all(store.list('many/'));
      expect(listed.map(({ key }) => key)).toEqual(sorted);
      expect(new Set(listed.map(({ bytes }) => bytes))).toEqual(new Set([1]));
    });

    test('a prefix need not end at a slash', async () => {
      const listed = await all(store.list('many/v104'));
      expect(listed.map(({ key }) => key)).toEqual(sorted.filter((key) => key.startsWith('many/v104')));
    });

    test('that match nothing are empty', async () => {
      expect(await all(store.list('none'))).toEqual([]);
      expect(await all(store.list('many/v1050'))).toEqual([]);
    });

    test('can be left in the middle', async () => {
      for await (const { key } of store.list('many/')) {
        expect(key).toBe(sorted[0]);
        break;
      }
    });
  });

  describe('what is missing', () => {
    test('an object', async () => {
      const missing = { code: 'NotFound', retryable: false };
      await expect(store.stat('missing/object')).rejects.toMatchObject(missing);
      await expect(collect(store.get('missing/object'))).rejects.toMatchObject(missing);
      await expect(collect(store.get('missing/object', { offset: 3, length: 4 }))).rejects.toMatchObject(missing);
      await expect(collect(store.get('missing/object', { offset: 3, length: 0 }))).rejects.toMatchObject(missing);
      await store.delete('missing/object');
    });

    test('a bucket', async () => {
      const missing = { code: 'BucketMissing', retryable: false };
      const { withoutBucket: gone, partBytes } = subject;
      await expect(gone.stat('a')).rejects.toMatchObject(missing);
      await expect(collect(gone.get('a'))).rejects.toMatchObject(missing);
      await expect(all(gone.list(''))).rejects.toMatchObject(missing);
      await expect(gone.put('a', chunked(bytesOf(1)))).rejects.toMatchObject(missing);
      await expect(gone.put('a', chunked(bytesOf(partBytes * 2)))).rejects.toMatchObject(missing);
      await expect(gone.delete('a')).rejects.toMatchObject(missing);
    });
  });

  describe('what is not finished', () => {
    async function untouched(key: string, before: Buffer): Promise<void> {
      expect(await collect(store.get(key))).toEqual(before);
      expect((await all(store.list(key))).map((item) => item.key)).toEqual([key]);
      expect(await subject.leftovers()).toEqual([]);
    }

    test.each([
      ['in the first part', 0.5],
      ['in the middle', 2.5],
      ['just before the end', 2.999],
    ])('a body that fails %s leaves what was there, and nothing else', async (title, parts) => {
      const key = `unfinished/${title}`;
      const before = Buffer.from('before');
      await store.put(key, chunked(before));
      const cut = new Error('the stream was cut');
      async function* failing() {
        yield* chunked(bytesOf(Math.floor(subject.partBytes * parts)));
        throw cut;
      }
      await expect(store.put(key, failing())).rejects.toBe(cut);
      await untouched(key, before);
    });

    test.each([
      ['of one part', 1],
      ['of several parts', 3],
    ])('a body %s that verify refuses is removed', async (title, parts) => {
      const key = `refused/${title}`;
      const before = Buffer.from('before');
      await store.put(key, chunked(before));
      const body = bytesOf(subject.partBytes * parts - 1);
      const wrong = new Error('the trailing hash is wrong');
      const put = store.put(key, chunked(body), {
        verify: async (summary) => {
          expect(summary).toEqual({ bytes: body.byteLength, sha256: sha256(body) });
          expect(await collect(store.get(key))).toEqual(before);
          throw wrong;
        },
      });
      await expect(put).rejects.toBe(wrong);
      await untouched(key, before);
    });

    test('a caller that stops in the middle', async () => {
      const key = 'stopped/middle';
      await store.put(key, chunked(Buffer.from('before')));
      const stop = new AbortController();
      async function* endless() {
        yield* chunked(bytesOf(subject.partBytes * 2 + 1));
        stop.abort(new Error('lease lost'));
        await new Promise(() => {});
      }
      const failure = await store.put(key, endless(), { signal: stop.signal }).catch((error: unknown) => error);
      expect(isBlobError(failure, 'Aborted')).toBe(true);
      await untouched(key, Buffer.from('before'));
    });

    test('a signal that is aborted already', async () => {
      const signal = AbortSignal.abort();
      const aborted = { code: 'Aborted', retryable: false };
      await expect(store.put('stopped/a', chunked(bytesOf(1)), { signal })).rejects.toMatchObject(aborted);
      await expect(store.stat('ranges', { signal })).rejects.toMatchObject(aborted);
      await expect(collect(store.get('ranges', { offset: 0 }, { signal }))).rejects.toMatchObject(aborted);
      await expect(all(store.list('many/', { signal }))).rejects.toMatchObject(aborted);
      await expect(store.delete('ranges', { signal })).rejects.toMatchObject(aborted);
    });
  });

  describe('a presigned read', () => {
    testPresigning(presigning, () => ({ store, presigner: subject.presigner ?? { store, past: store, secrets: [] } }));
  });
}
