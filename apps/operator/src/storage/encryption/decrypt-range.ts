// SPDX-License-Identifier: Apache-2.0
import type { ByteRange } from '@operator-parts/blob';
import { EncryptionError } from './encryption-error.ts';
import { chunkBytes, type FileCipher, sealedChunkBytes } from './file-cipher.ts';

/** An encrypted file in a store. */
export interface EncryptedFile {
  readonly cipher: FileCipher;
  /** Length of the file in the store. */
  readonly bytes: number;
  readonly read: (range: ByteRange) => AsyncIterable<Uint8Array>;
}

interface Layout {
  readonly chunks: number;
  /** Length of the content before encryption. */
  readonly content: number;
}

/** The length of the content of a file with this length in the store. Throws an `EncryptionError` if no file can have this length. */
export function contentBytes({ cipher, bytes }: Pick<EncryptedFile, 'cipher' | 'bytes'>): number {
  return layoutOf(cipher, bytes).content;
}

function layoutOf({ header }: FileCipher, bytes: number): Layout {
  const sealed = bytes - header.encoded.byteLength;
  const chunks = Math.max(1, Math.ceil(sealed / sealedChunkBytes));
  const content = sealed - chunks * (sealedChunkBytes - chunkBytes);
  const isLastWhole = content >= (chunks - 1) * chunkBytes;
  if (isLastWhole) return { chunks, content };
  throw new EncryptionError('Damaged', 'the encrypted backup is incomplete. Restore another backup');
}

/** Decrypts a part of a file by reading the chunks that contain it. Yields only authenticated bytes, and holds one chunk in memory. */
export async function* decryptRange(
  { cipher, bytes, read }: EncryptedFile,
  { offset, length }: ByteRange = { offset: 0 },
): AsyncGenerator<Uint8Array> {
  const { chunks, content } = layoutOf(cipher, bytes);
  const end = length === undefined ? content : Math.min(content, offset + length);
  // A read from the beginning must authenticate the content even if it is empty.
  if (offset > 0 && offset >= end) return;
  const first = Math.floor(offset / chunkBytes);
  const last = Math.max(first, Math.ceil(end / chunkBytes) - 1);
  const from = cipher.header.encoded.byteLength + first * sealedChunkBytes;
  const to = Math.min(bytes, from + (last - first + 1) * sealedChunkBytes);
  let index = first;
  for await (const sealed of inChunks(read({ offset: from, length: to - from }))) {
    const opened = cipher.open(sealed, index, index === chunks - 1);
    const start = index * chunkBytes;
    const piece = opened.subarray(Math.max(0, offset - start), Math.max(0, end - start));
    if (piece.byteLength > 0) yield piece;
    index += 1;
  }
  if (index <= last)
    throw new EncryptionError(
      'Damaged',
      `the backup store sent chunks ${first} to ${index - 1}, but chunks up to ${last} were requested`,
    );
}

/** Yields full chunks, and a shorter one at the end. A chunk is overwritten when the next one is requested. */
async function* inChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.allocUnsafe(sealedChunkBytes);
  let filled = 0;
  for await (const piece of body) {
    let used = 0;
    while (used < piece.byteLength) {
      const taken = piece.subarray(used, used + sealedChunkBytes - filled);
      chunk.set(taken, filled);
      filled += taken.byteLength;
      used += taken.byteLength;
      if (filled < sealedChunkBytes) continue;
      yield chunk;
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}
