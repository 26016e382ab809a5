// SPDX-License-Identifier: Apache-2.0
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BlockOptions, inBlocks } from './stream-blocks.ts';

const blockBytes = 256 * 1024;

/** A stream that only ends, and the source of its bytes, which are invalid after they have been delivered. */
class Scene {
  readonly stream = new PassThrough();
  readonly released: number[] = [];
  #listener: (bytes: Uint8Array) => void = () => undefined;

  readonly source = {
    listen: (listener: (bytes: Uint8Array) => void) => {
      this.#listener = listener;
    },
    release: (heldBytes: number) => {
      this.released.push(heldBytes);
    },
  };

  blocks(options: Partial<BlockOptions> = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const usual = { heard: () => undefined, decode: (piece: Uint8Array) => [piece], reuse: true };
    return inBlocks(this.stream, { source: this.source, ...usual, ...options });
  }

  send(piece: Uint8Array): void {
    const own = Buffer.from(piece);
    this.#listener(own);
    own.fill(0xff);
  }
}

function pieces(sizes: readonly number[]): Buffer[] {
  return sizes.map((size, index) => Buffer.alloc(size, index + 1));
}

describe('a stream in blocks', () => {
  test('every byte comes out once and in order, whatever the pieces, with blocks used again or not', async () => {
    const sizes = fc.array(fc.nat(700_000), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (lengths, reuse) => {
        const scene = new Scene();
        const sent = pieces(lengths);
        const blocks = scene.blocks({ reuse });
        const seen: Buffer[] = [];
        const first = blocks.next();
        for (const piece of sent) scene.send(piece);
        scene.stream.end();
        for (let next = await first; !next.done; next = await blocks.next()) seen.push(Buffer.from(next.value));
        expect(Buffer.concat(seen).equals(Buffer.concat(sent))).toBe(true);
        for (const block of seen.slice(0, -1)) expect(block.byteLength).toBe(blockBytes);
      }),
      { numRuns: 30 },
    );
  });

  test('blocks of their own stay as they are', async () => {
    const scene = new Scene();
    const sent = pieces([blockBytes, blockBytes, blockBytes, 7]);
    const seen: Uint8Array[] = [];
    const blocks = scene.blocks({ reuse: false });
    const first = blocks.next();
    for (const piece of sent) {
      scene.send(piece);
      await turn();
    }
    scene.stream.end();
    for (let next = await first; !next.done; next = await blocks.next()) seen.push(next.value);
    expect(Buffer.concat(seen).equals(Buffer.concat(sent))).toBe(true);
  });

  test('a block that is in use is not written to, and one that has been used is', async () => {
    const scene = new Scene();
    const blocks = scene.blocks();
    const asked = blocks.next();
    scene.send(Buffer.alloc(blockBytes, 1));
    const first = (await asked).value;
    for (const fill of [2, 3]) scene.send(Buffer.alloc(blockBytes, fill));
    expect(first).toEqual(Buffer.alloc(blockBytes, 1));
    await blocks.next();
    for (const fill of [4, 5]) scene.send(Buffer.alloc(blockBytes, fill));
    expect(first?.[0]).toBe(5);
    await blocks.return();
    scene.stream.destroy();
  });

  test('the source is told, with each block that is taken, what is still held', async () => {
    const scene = new Scene();
    const blocks = scene.blocks();
    const first = blocks.next();
    scene.send(Buffer.alloc(2 * blockBytes + 5));
    await first;
    await blocks.next();
    expect(scene.released).toEqual([blockBytes + 5, 5]);
    scene.stream.end();
    expect((await blocks.next()).value).toHaveLength(5);
    expect(scene.released.at(-1)).toBe(0);
  });

  test('each piece is reported, also while no block is complete', async () => {
    const scene = new Scene();
    let told = 0;
    const blocks = scene.blocks({ heard: () => (told += 1) });
    const first = blocks.next();
    for (let index = 0; index < 3; index++) scene.send(Buffer.alloc(10));
    expect(told).toBe(3);
    scene.stream.end();
    expect((await first).value).toHaveLength(30);
    expect((await blocks.next()).done).toBe(true);
  });

  test('what breaks the stream comes out, and what is no whole block is not passed on', async () => {
    const scene = new Scene();
    const next = scene.blocks().next();
    scene.send(Buffer.alloc(10));
    scene.stream.destroy(new Error('cut'));
    await expect(next).rejects.toThrow('cut');
  });

  test('what cannot be decoded ends it with what the decoder threw', async () => {
    const decode = () => {
      throw new Error('no snapshot');
    };
    const scene = new Scene();
    const next = scene.blocks({ decode }).next();
    scene.send(Buffer.alloc(1));
    scene.send(Buffer.alloc(1));
    await expect(next).rejects.toThrow('no snapshot');
    scene.stream.destroy();
  });

  test('a stream that is over before it is read ends at once', async () => {
    const scene = new Scene();
    scene.stream.end();
    expect((await scene.blocks().next()).done).toBe(true);
  });
});
