// SPDX-License-Identifier: Apache-2.0
import { type Random, systemRandom } from '@operator-parts/ports';
import { chunkBytes, FileCipher } from './file-cipher.ts';
import { createHeader } from './file-header.ts';
import { dataKeyBytes, type KeyProvider } from './key-provider.ts';

/** The cipher of a new file. Its data key is used for this file only. */
export async function newFileCipher(
  keys: KeyProvider,
  signal: AbortSignal,
  random: Random = systemRandom,
): Promise<FileCipher> {
  const dataKey = random.bytes(dataKeyBytes);
  const header = createHeader(await keys.wrap(dataKey, signal), (length) => random.bytes(length));
  return new FileCipher(dataKey, header);
}

/**
 * Encrypts a body of any length while it is sent. Holds one chunk, and copies every piece, because the body may reuse its pieces. An error
 * of the body is passed on unchanged. It comes before the last chunk, and without that chunk the file is not valid.
 */
export async function* encryptBody(body: AsyncIterable<Uint8Array>, cipher: FileCipher): AsyncGenerator<Uint8Array> {
  yield cipher.header.encoded;
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  let index = 0;
  for await (const piece of body) {
    let used = 0;
    while (used < piece.byteLength) {
      // A full chunk is sealed only when more bytes follow, because the last chunk is sealed in another way.
      if (filled === chunkBytes) {
        yield cipher.seal(chunk, index, false);
        index += 1;
        filled = 0;
      }
      const taken = piece.subarray(used, used + chunkBytes - filled);
      chunk.set(taken, filled);
      filled += taken.byteLength;
      used += taken.byteLength;
    }
  }
  yield cipher.seal(chunk.subarray(0, filled), index, true);
}
