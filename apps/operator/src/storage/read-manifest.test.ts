// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobErrorCode } from '@operator-parts/blob';
import { expect, test } from 'vitest';
import { readManifest } from './read-manifest.ts';

const { signal } = new AbortController();

/** A store that rejects every read with this error. */
const refusing = (code: BlobErrorCode) => ({
  async *get(): AsyncGenerator<Uint8Array> {
    yield await Promise.reject(new BlobError(code, 'refused'));
  },
});

test.each(['NotFound', 'Denied'] as const)('what a store answers with %s is no manifest', async (code) => {
  expect(await readManifest(refusing(code), 'backup', signal)).toBeUndefined();
});

test('a store that cannot be reached is another matter', async () => {
  await expect(readManifest(refusing('Unavailable'), 'backup', signal)).rejects.toThrow('refused');
});
