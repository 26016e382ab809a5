// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { BlobError } from '../blob-error.ts';

/** Forwards a body, and ends with `ChecksumMismatch` if its SHA-256 is different. */
export async function* hashChecked(
  body: AsyncIterable<Uint8Array>,
  sha256: string,
  what: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
  const found = hash.digest('hex');
  if (found === sha256) return;
  throw new BlobError('ChecksumMismatch', `${what}: the SHA-256 of the object is ${found} instead of ${sha256}`);
}
