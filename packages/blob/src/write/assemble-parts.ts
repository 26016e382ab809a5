// SPDX-License-Identifier: Apache-2.0
import type { Part } from './part-driver.ts';

/** Provides the buffers of parts, and is told of all bytes. */
export interface PartPlaces {
  /** A buffer with the size of this part. */
  readonly take: (number: number) => Promise<Buffer>;
  /** Called with every byte once, in order. */
  readonly onBytes: (bytes: Uint8Array) => void;
}

/**
 * Copies a body of unknown length into parts of given sizes. A part is returned only when it is known whether it is the
 * last: when the next byte or the end was read. The last part is empty only if the whole body is.
 */
export async function* assembleParts(
  body: AsyncIterable<Uint8Array>,
  { take, onBytes }: PartPlaces,
): AsyncGenerator<Part, void, undefined> {
  let number = 1;
  let offset = 0;
  let filled = 0;
  let buffer = await take(number);
  for await (const chunk of body) {
    onBytes(chunk);
    for (let at = 0; at < chunk.byteLength; ) {
      if (filled === buffer.byteLength) {
        yield { number, offset, bytes: buffer, isLast: false };
        offset += filled;
        filled = 0;
        number += 1;
        buffer = await take(number);
      }
      const length = Math.min(chunk.byteLength - at, buffer.byteLength - filled);
      buffer.set(chunk.subarray(at, at + length), filled);
      filled += length;
      at += length;
    }
  }
  yield { number, offset, bytes: buffer.subarray(0, filled), isLast: true };
}
