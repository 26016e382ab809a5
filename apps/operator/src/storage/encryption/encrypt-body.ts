// SPDX-License-Identifier: Apache-2.0
import { type Random, systemRandom } from '@etcd-operator/ports';
import { chunkBytes, FileCipher } from './file-cipher.ts';
import { createHeader } from './file-header.ts';
import { dataKeyBytes, type KeyProvider } from './key-provider.ts';

/** The cipher of a new file, with a data key that nothing else is encrypted with. */
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
 * Encrypts a body of any length on its way. Holds one chunk, and takes a copy of every piece: those of the body may be reused. What the
 * body throws comes out unchanged, and before the last chunk, without which a file is none.
 */
export async function* encryptBody(body: AsyncIterable<Uint8Array>, cipher: FileCipher): AsyncGenerator<Uint8Array> {
  yield cipher.header.encoded;
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  let index = 0;
  for await (const piece of body) {
    let used = 0;
    while (used < piece.byteLength) {
      // A full one waits until there is more: the last one is marked.
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
