// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameError, frame } from '../grpc/frame.ts';
import { responseHeader } from '../messages/kv-messages.ts';
import { bytes, string, uint64 } from '../wire/field.ts';
import { message, optional } from '../wire/message.ts';
import { WireError } from '../wire/reader.ts';
import { SnapshotDecoder } from './snapshot-decoder.ts';

/** The message as etcd declares it (operator rule 20: remaining_bytes is field 2, blob field 3). */
const snapshotResponse = message({
  header: optional(1, responseHeader),
  remaining: uint64(2),
  blob: bytes(3),
  version: string(4),
});

function decodeAll(chunks: readonly Uint8Array[]) {
  const decoder = new SnapshotDecoder();
  const blobs = chunks.flatMap((chunk) => {
    decoder.push(chunk);
    return decoder.take();
  });
  return { decoder, data: Buffer.concat(blobs) };
}

describe('the snapshot decoder', () => {
  test('gives back the blobs, however the stream is cut', () => {
    const part = fc.record({
      blob: fc.uint8Array({ maxLength: 200 }),
      header: fc.option(fc.constant({ revision: 300n }), { nil: undefined }),
      version: fc.constantFrom(undefined, '3.6.0'),
    });
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(90), { maxLength: 40 }),
        (parts, cuts) => {
          let left = parts.reduce((sum, { blob }) => sum + blob.byteLength, 0);
          const expected = Buffer.concat(parts.map(({ blob }) => blob));
          const stream = Buffer.concat(
            parts.map((each) => {
              left -= each.blob.byteLength;
              // proto3 omits zeros, as etcd does for the last message.
              return frame(snapshotResponse.encode({ ...each, remaining: left === 0 ? undefined : BigInt(left) }));
            }),
          );
          const positions = [0, ...cuts.map((cut) => Math.min(cut * 7, stream.byteLength)).toSorted((a, b) => a - b)];
          const chunks = positions.map((start, index) => stream.subarray(start, positions[index + 1]));
          const { decoder, data } = decodeAll(chunks);
          expect(data.equals(expected)).toBe(true);
          expect(decoder.complete).toBe(true);
        },
      ),
    );
  });

  test('hands out views of what came in, no copies', () => {
    const chunk = frame(snapshotResponse.encode({ blob: Uint8Array.of(1, 2, 3) }));
    const decoder = new SnapshotDecoder();
    decoder.push(chunk);
    expect(decoder.take()[0]?.buffer).toBe(chunk.buffer);
  });

  test('is not complete while the member announces more, or in the middle of a message, or before the first', () => {
    expect(new SnapshotDecoder().complete).toBe(false);
    const more = frame(snapshotResponse.encode({ remaining: 5n, blob: Uint8Array.of(1) }));
    expect(decodeAll([more]).decoder).toMatchObject({ complete: false, remaining: 5n });
    const last = frame(snapshotResponse.encode({ blob: Uint8Array.of(1) }));
    expect(decodeAll([more, last.subarray(0, 3)]).decoder.complete).toBe(false);
    expect(decodeAll([more, last]).decoder).toMatchObject({ complete: true, remaining: 0n });
  });

  test.each([
    ['a blob longer than its message', [0, 0, 0, 0, 3, 0x1a, 0x09, 0x01]],
    ['a tag that reaches beyond its message', [0, 0, 0, 0, 1, 0x9a, 0x01]],
    ['a number without end', [0, 0, 0, 0, 12, 0x10, ...Array.from({ length: 11 }, () => 0x80)]],
    ['a invalid response: unknown protobuf wire type that', [0, 0, 0, 0, 2, 0x0d, 0x01]],
  ])('%s is refused', (_, data) => {
    expect(() => decodeAll([Uint8Array.from(data)])).toThrow(WireError);
  });

  test('a message of impossible length is refused', () => {
    expect(() => decodeAll([Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff)])).toThrow(FrameError);
  });

  test('any bytes are taken or refused, never anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (data) => {
        try {
          decodeAll([data]);
        } catch (error) {
          if (!(error instanceof WireError || error instanceof FrameError)) throw error;
        }
      }),
    );
  });
});
