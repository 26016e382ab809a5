// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';

/** The number of bytes of an error answer that are read; the rest is dropped. */
export const longestFault = 64 * 1024;

/** The longest answer that is accepted; a page of a listing is much shorter. */
export const longestAnswer = 16 * 1024 * 1024;

/** The first bytes of an answer: bytes beyond `keep` are dropped, an answer longer than `refuse` is an error. */
export async function* capped(
  body: AsyncIterable<Uint8Array>,
  { keep, refuse }: { readonly keep?: number; readonly refuse?: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of body) {
    if (keep !== undefined && bytes + chunk.byteLength >= keep) {
      yield chunk.subarray(0, keep - bytes);
      return;
    }
    bytes += chunk.byteLength;
    if (refuse !== undefined && bytes > refuse) {
      throw new BlobError('Unavailable', `the backup store sent a response longer than ${refuse} bytes`);
    }
    yield chunk;
  }
}
