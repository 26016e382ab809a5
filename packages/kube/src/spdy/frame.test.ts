// SPDX-License-Identifier: Apache-2.0
import { constants, createDeflate, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headerDictionary } from './dictionary.ts';
import { encodeFrame, type SpdyFrame, SpdyFrameDecoder } from './frame.ts';
import { HeaderReader, HeaderWriter } from './header-block.ts';

const stream = fc.integer({ min: 1, max: 0x7fff_ffff });
const bytes = fc.uint8Array({ maxLength: 300 });
const word = fc.nat(0xffff_ffff);
const anyFrame: fc.Arbitrary<Exclude<SpdyFrame, { type: 'other' }>> = fc.oneof(
  fc.record({ type: fc.constant('data' as const), stream, fin: fc.boolean(), payload: bytes }),
  fc.record({
    type: fc.constantFrom('syn-stream' as const, 'syn-reply' as const, 'headers' as const),
    stream,
    fin: fc.boolean(),
    block: bytes,
  }),
  fc.record({ type: fc.constant('reset' as const), stream, status: word }),
  fc.record({ type: fc.constant('ping' as const), id: word }),
  fc.record({ type: fc.constant('go-away' as const), lastStream: stream, status: word }),
);
const plain = (frame: SpdyFrame) =>
  Object.fromEntries(
    Object.entries(frame).map(([key, value]) => [key, value instanceof Uint8Array ? [...value] : value]),
  );

test('frames come out as they went in, however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 6 }), fc.array(fc.nat(2000), { maxLength: 20 }), (frames, cuts) => {
      const whole = Buffer.concat(frames.map(encodeFrame));
      const bounds = [0, ...cuts.filter((cut) => cut < whole.length).toSorted((a, b) => a - b), whole.length];
      const decoder = new SpdyFrameDecoder();
      const decoded = bounds.slice(1).flatMap((end, index) => [...decoder.push(whole.subarray(bounds[index], end))]);
      expect(decoded.map(plain)).toEqual(frames.map(plain));
    }),
  );
});

test('SETTINGS and WINDOW_UPDATE are passed over; other versions and short frames are refused', () => {
  const decode = (...values: readonly number[]) => [...new SpdyFrameDecoder().push(Uint8Array.from(values))];
  expect(decode(0x80, 3, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0)).toEqual([{ type: 'other' }]);
  expect(decode(0x80, 3, 0, 9, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 1)).toEqual([{ type: 'other' }]);
  expect(() => decode(0x80, 2, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1)).toThrow('version 2');
  expect(() => decode(0x80, 3, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1)).toThrow('too short');
  expect(() => decode(0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff)).toThrow('too long');
});

describe('header blocks', () => {
  const headers = fc.dictionary(fc.stringMatching(/^[a-z]{1,12}$/), fc.string({ unit: 'binary', maxLength: 40 }), {
    maxKeys: 6,
  });

  test('are parts of one stream that a reader follows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(headers, { maxLength: 5 }), async (blocks) => {
        const [writer, reader] = [new HeaderWriter(), new HeaderReader()];
        for (const block of blocks) expect(await reader.decode(writer.encode(block))).toEqual({ ...block });
      }),
      { numRuns: 50 },
    );
  });

  test('of a peer that compresses are read too', async () => {
    const deflate = createDeflate({ dictionary: headerDictionary });
    const reader = new HeaderReader();
    for (const value of ['error', 'data', 'data']) {
      const encoded = new HeaderWriter().encode({ streamtype: value, port: '8080' }).subarray(11, -5);
      const compressed = await new Promise<Buffer>((resolve) => {
        deflate.write(encoded);
        deflate.flush(constants.Z_SYNC_FLUSH, () => resolve(deflate.read() as Buffer));
      });
      expect(await reader.decode(compressed)).toEqual({ streamtype: value, port: '8080' });
    }
  });

  test('are what zlib expects with the dictionary of the protocol', () => {
    expect(headerDictionary.length).toBe(1423);
    const block = new HeaderWriter().encode({ A: 'b' });
    const options = { dictionary: headerDictionary, finishFlush: constants.Z_SYNC_FLUSH };
    expect([...inflateSync(block, options)]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0x61, 0, 0, 0, 1, 0x62]);
  });

  test('that are no such thing, end early or swell up are refused', async () => {
    await expect(new HeaderReader().decode(Buffer.from('garbage'))).rejects.toMatchObject({ name: 'SpdyError' });
    const writer = new HeaderWriter();
    const short = writer.encode({ a: 'b' });
    short[11 + 3] = 9;
    await expect(new HeaderReader().decode(short)).rejects.toThrow('ends early');
    const deflate = createDeflate({ dictionary: headerDictionary });
    const bomb = await new Promise<Buffer>((resolve) => {
      deflate.write(Buffer.alloc(10_000_000));
      deflate.flush(constants.Z_SYNC_FLUSH, () => resolve(deflate.read() as Buffer));
    });
    await expect(new HeaderReader().decode(bomb)).rejects.toThrow('too long');
  });
});
