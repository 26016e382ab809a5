// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/** Pseudo-random bytes that are always the same; no two ranges are equal. */
export function bytesOf(length: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(length + 4);
  let state = (seed * 2654435761) >>> 0 || 1;
  for (let at = 0; at < length; at += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes.writeInt32LE(state | 0, at);
  }
  return bytes.subarray(0, length);
}

/** A body in chunks of this size, each a view of a buffer that is overwritten afterwards, as some sources do. */
export async function* chunked(bytes: Uint8Array, size = 33_000): AsyncGenerator<Uint8Array, void, undefined> {
  const chunk = Buffer.alloc(size);
  for (let at = 0; at < bytes.byteLength; at += size) {
    const length = Math.min(size, bytes.byteLength - at);
    chunk.set(bytes.subarray(at, at + length));
    yield chunk.subarray(0, length);
    chunk.fill(0xee);
  }
}

/** All received bytes in one piece. */
export async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** All items of an iterable. */
export async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
