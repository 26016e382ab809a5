// SPDX-License-Identifier: Apache-2.0
import { systemRandom } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentBytes, decryptRange } from './decrypt-range.ts';
import { encryptBody, newFileCipher } from './encrypt-body.ts';
import { EncryptionError } from './encryption-error.ts';
import { chunkBytes, FileCipher, sealedChunkBytes } from './file-cipher.ts';
import { longestHeader, parseHeader } from './file-header.ts';
import { secretKeys } from './secret-keys.ts';

const { signal } = new AbortController();
const keys = secretKeys('k', Buffer.from(systemRandom.bytes(32)).toString('base64'));

async function* inPieces(bytes: Uint8Array, piece: number): AsyncGenerator<Uint8Array> {
  // One buffer is reused for all pieces, as with the pieces of a member's snapshot.
  const reused = Buffer.alloc(piece);
  for (let from = 0; from < bytes.byteLength; from += piece) {
    const part = bytes.subarray(from, from + piece);
    reused.set(part);
    yield reused.subarray(0, part.byteLength);
  }
}

async function whole(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

async function encrypted(content: Uint8Array, piece = 10_000): Promise<Buffer> {
  return whole(encryptBody(inPieces(content, piece), await newFileCipher(keys, signal)));
}

async function decrypted(file: Uint8Array, range?: { readonly offset: number; readonly length?: number }) {
  const header = parseHeader(file.subarray(0, longestHeader));
  const cipher = new FileCipher(await keys.unwrap(header, signal), header);
  const read = ({ offset, length = file.byteLength }: { readonly offset: number; readonly length?: number }) =>
    inPieces(file.subarray(offset, offset + length), 7_000);
  return whole(decryptRange({ cipher, bytes: file.byteLength, read }, range));
}

/** Why a file is rejected; undefined if it is accepted. */
async function refusal(file: Uint8Array): Promise<string | undefined> {
  try {
    await decrypted(file);
    return undefined;
  } catch (error) {
    return error instanceof EncryptionError ? error.code : String(error);
  }
}

const refused = expect.stringMatching(/^(Damaged|WrongKey)$/);

/** Length of the header; 0 if there is none. */
function headerBytes(beginning: Uint8Array): number {
  try {
    return parseHeader(beginning).encoded.byteLength;
  } catch (error) {
    if (error instanceof EncryptionError) return 0;
    throw error;
  }
}

/** Lengths around the borders of chunks, where mistakes are likely. */
const lengths = fc.oneof(
  fc.constantFrom(0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, 3 * chunkBytes + 5),
  fc.nat(4 * chunkBytes),
);
const contents = lengths.map((length) => Buffer.from(systemRandom.bytes(length)));
const runs = { numRuns: 60 };

describe('an encrypted backup', () => {
  test('of any length, in pieces of any length, is decrypted to what it was', async () => {
    await fc.assert(
      fc.asyncProperty(contents, fc.integer({ min: 1_000, max: 200_000 }), async (content, piece) => {
        const file = await encrypted(content, piece);
        expect((await decrypted(file)).equals(content)).toBe(true);
        const header = parseHeader(file);
        const cipher = new FileCipher(await keys.unwrap(header, signal), header);
        expect(contentBytes({ cipher, bytes: file.byteLength })).toBe(content.byteLength);
      }),
      runs,
    );
  });

  test('any part of it is read as the part of the content', async () => {
    await fc.assert(
      fc.asyncProperty(contents, fc.nat(4 * chunkBytes), fc.nat(2 * chunkBytes), async (content, offset, length) => {
        const part = await decrypted(await encrypted(content), { offset, length });
        expect(part.equals(content.subarray(offset, offset + length))).toBe(true);
      }),
      runs,
    );
  });

  test('of which any bit was flipped is refused', async () => {
    await fc.assert(
      fc.asyncProperty(contents, fc.nat(), fc.nat(7), async (content, at, bit) => {
        const file = await encrypted(content);
        const place = at % file.byteLength;
        file[place] = (file[place] ?? 0) ^ (1 << bit);
        expect(await refusal(file)).toEqual(refused);
      }),
      runs,
    );
  });

  test('of which every byte of the header and of the first chunk was changed is refused, one after the other', async () => {
    const file = await encrypted(Buffer.from('secret'));
    for (const place of file.keys()) {
      const other = Buffer.from(file);
      other[place] = (other[place] ?? 0) ^ 0xff;
      expect(await refusal(other)).toEqual(refused);
    }
  });

  test('that was cut anywhere, or has more at its end, is refused', async () => {
    await fc.assert(
      fc.asyncProperty(contents, fc.nat(), async (content, at) => {
        const file = await encrypted(content);
        expect(await refusal(file.subarray(0, at % file.byteLength))).toEqual(refused);
        expect(await refusal(Buffer.concat([file, Buffer.alloc(1 + (at % sealedChunkBytes))]))).toEqual(refused);
      }),
      runs,
    );
  });

  describe('of four chunks', () => {
    const content = Buffer.from(systemRandom.bytes(4 * chunkBytes));
    const split = (file: Buffer) => {
      const from = parseHeader(file).encoded.byteLength;
      const chunks = [0, 1, 2, 3].map((i) =>
        file.subarray(from + i * sealedChunkBytes, from + (i + 1) * sealedChunkBytes),
      );
      return { header: file.subarray(0, from), chunks };
    };
    const joined = (header: Buffer, chunks: readonly Buffer[], order: readonly number[]) =>
      Buffer.concat([header, ...order.map((i) => chunks[i] ?? Buffer.alloc(0))]);

    test('is refused in any other order, with chunks left out, or repeated', async () => {
      const { header, chunks } = split(await encrypted(content));
      const orders = fc.array(fc.nat(3), { maxLength: 6 }).filter((order) => order.join() !== '0,1,2,3');
      await fc.assert(
        fc.asyncProperty(orders, async (order) => {
          expect(await refusal(joined(header, chunks, order))).toEqual(refused);
        }),
        runs,
      );
    });

    test('with a chunk, or all chunks, of another backup of the same key is refused', async () => {
      const [one, other] = [split(await encrypted(content)), split(await encrypted(content))];
      for (const i of [0, 1, 2, 3]) {
        const mixed = one.chunks.map((chunk, j) => (i === j ? (other.chunks[j] ?? chunk) : chunk));
        expect(await refusal(joined(one.header, mixed, [0, 1, 2, 3]))).toEqual(refused);
      }
      expect(await refusal(joined(one.header, other.chunks, [0, 1, 2, 3]))).toEqual(refused);
    });
  });

  test('does not show what is in it, and two of the same content have nothing in common', async () => {
    const content = Buffer.from('/registry/secrets/default/password '.repeat(5_000));
    const [one, other] = [await encrypted(content), await encrypted(content)];
    expect(one.includes('registry')).toBe(false);
    expect(one.subarray(200, 232).equals(other.subarray(200, 232))).toBe(false);
  });

  test('is not begun from what is no header', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const beginning = Buffer.concat([Buffer.from('ETCDENC1'), bytes]);
        expect(headerBytes(beginning)).toBeLessThanOrEqual(beginning.byteLength);
      }),
    );
  });

  test('is made and read piece by piece: never more than a chunk and a piece is held', async () => {
    const cipher = await newFileCipher(keys, signal);
    let taken = 0;
    const body = async function* () {
      for (let index = 0; index < 64; index += 1) {
        taken += chunkBytes / 4;
        yield Buffer.alloc(chunkBytes / 4, index);
      }
    };
    let given = 0;
    let most = 0;
    const file: Uint8Array[] = [];
    for await (const piece of encryptBody(body(), cipher)) {
      given += piece.byteLength;
      most = Math.max(most, taken - given);
      file.push(piece);
    }
    expect(most).toBeLessThanOrEqual(chunkBytes);
    const stored = Buffer.concat(file);
    let read = 0;
    const source = async function* ({ offset }: { readonly offset: number }) {
      for (let from = offset; from < stored.byteLength; from += chunkBytes / 4) {
        const piece = stored.subarray(from, from + chunkBytes / 4);
        read += piece.byteLength;
        yield piece;
      }
    };
    let [decryptedBytes, ahead] = [0, 0];
    for await (const piece of decryptRange({ cipher, bytes: stored.byteLength, read: source })) {
      decryptedBytes += piece.byteLength;
      ahead = Math.max(ahead, read - decryptedBytes);
    }
    expect(decryptedBytes).toBe(16 * chunkBytes);
    expect(ahead).toBeLessThanOrEqual(chunkBytes);
  });

  test('whose source fails has no last chunk', async () => {
    const failing = async function* () {
      yield Buffer.alloc(chunkBytes);
      throw new Error('the member is gone');
    };
    const pieces: Uint8Array[] = [];
    const reading = (async () => {
      for await (const piece of encryptBody(failing(), await newFileCipher(keys, signal))) pieces.push(piece);
    })();
    await expect(reading).rejects.toThrow('the member is gone');
    expect(pieces.length).toBe(1);
  });
});
