// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { capped, longestAnswer, longestFault } from './capped.ts';
import { textOf } from './http-call.ts';

const mebibyte = 1024 * 1024;

/** An answer of this many bytes, and how many of them were read. */
function answer(bytes: number) {
  const taken = { bytes: 0, isClosed: false };
  async function* body() {
    try {
      for (const chunk = Buffer.alloc(64 * 1024, ' '); taken.bytes < bytes; ) {
        const next = chunk.subarray(0, bytes - taken.bytes);
        taken.bytes += next.byteLength;
        yield next;
      }
    } finally {
      taken.isClosed = true;
    }
  }
  return { taken, body };
}

async function lengthOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.byteLength;
  return bytes;
}

test('an answer of 16 MiB is read to its end', async () => {
  const { body } = answer(16 * mebibyte);
  expect(await lengthOf(capped(body(), { refuse: longestAnswer }))).toBe(16 * mebibyte);
});

test('an answer that is a byte longer is refused, and not read on', async () => {
  const { body, taken } = answer(16 * mebibyte + 1);
  await expect(lengthOf(capped(body(), { refuse: longestAnswer }))).rejects.toMatchObject({
    code: 'Unavailable',
    retryable: true,
    message: 'the backup store sent a response longer than 16777216 bytes',
  });
  expect(taken).toEqual({ bytes: 16 * mebibyte + 1, isClosed: true });
});

test('of an error the first 64 KiB are read, and the rest is left', async () => {
  const { body, taken } = answer(100 * mebibyte);
  expect(await lengthOf(capped(body(), { keep: longestFault }))).toBe(64 * 1024);
  expect(taken).toEqual({ bytes: 64 * 1024, isClosed: true });
});

const textOfLong = (status: number) =>
  textOf({ status, headers: {}, body: Readable.from(answer(100 * mebibyte).body()) as IncomingMessage });

test('the text of an answer that is too long is refused', async () => {
  await expect(textOfLong(200)).rejects.toMatchObject({ code: 'Unavailable' });
});

test('the text of an error that is too long is cut', async () => {
  expect(await textOfLong(503)).toHaveLength(64 * 1024);
});
