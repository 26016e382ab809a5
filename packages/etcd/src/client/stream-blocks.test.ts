// SPDX-License-Identifier: Apache-2.0
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inBlocks } from './stream-blocks.ts';

const blockBytes = 512 * 1024;
const usual = { heard: () => undefined, decode: (piece: Uint8Array) => [piece], reuse: true };

function pieces(sizes: readonly number[]): Buffer[] {
  return sizes.map((size, index) => Buffer.alloc(size, index + 1));
}

describe('a stream in blocks', () => {
  test('every byte comes out once and in order, whatever the pieces, with blocks of their own or one for all', async () => {
    const sizes = fc.array(fc.nat(700_000), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (lengths, reuse) => {
        const source = pieces(lengths);
        const seen: Buffer[] = [];
        for await (const block of inBlocks(Readable.from(source), { ...usual, reuse })) seen.push(Buffer.from(block));
        expect(Buffer.concat(seen).equals(Buffer.concat(source))).toBe(true);
        for (const block of seen.slice(0, -1)) expect(block.byteLength).toBeGreaterThanOrEqual(blockBytes);
      }),
      { numRuns: 30 },
    );
  });

  test('blocks of their own stay as they are', async () => {
    const source = pieces([blockBytes, blockBytes, 7]);
    const seen: Uint8Array[] = [];
    for await (const block of inBlocks(Readable.from(source), { ...usual, reuse: false })) seen.push(block);
    expect(Buffer.concat(seen).equals(Buffer.concat(source))).toBe(true);
  });

  test('no more than a block and a piece is taken ahead of the reader', async () => {
    let sent = 0;
    const source = new Readable({
      highWaterMark: 16_384,
      read() {
        sent += 16_384;
        this.push(Buffer.alloc(16_384));
      },
    });
    const blocks = inBlocks(source, usual);
    await blocks.next();
    for (let turns = 0; turns < 50; turns++) await turn();
    expect(sent).toBeLessThanOrEqual(2 * blockBytes + 4 * 16_384);
    await blocks.return();
    expect(source.listenerCount('data')).toBe(0);
    source.destroy();
  });

  test('each piece is told, also while no block is complete', async () => {
    const source = new PassThrough();
    let told = 0;
    const blocks = inBlocks(source, { ...usual, heard: () => (told += 1) });
    const first = blocks.next();
    for (let index = 0; index < 3; index++) {
      source.write(Buffer.alloc(10));
      await turn();
    }
    expect(told).toBe(3);
    source.end();
    expect((await first).value).toHaveLength(30);
    expect((await blocks.next()).done).toBe(true);
  });

  test('what breaks the stream comes out, and what has not been decoded is not passed on', async () => {
    const source = new PassThrough();
    const blocks = inBlocks(source, usual);
    const next = blocks.next();
    source.write(Buffer.alloc(10));
    await turn();
    source.destroy(new Error('cut'));
    await expect(next).rejects.toThrow('cut');
  });

  test('what cannot be decoded ends it with what the decoder threw', async () => {
    const decode = () => {
      throw new Error('no snapshot');
    };
    const source = new PassThrough();
    source.write(Buffer.alloc(1));
    await expect(inBlocks(source, { ...usual, decode }).next()).rejects.toThrow('no snapshot');
    source.destroy();
  });

  test('a stream that is over before it is read ends at once', async () => {
    const source = new PassThrough();
    source.end();
    expect((await inBlocks(source, usual).next()).done).toBe(true);
  });
});
