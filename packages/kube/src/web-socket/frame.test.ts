// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeFrame, type Frame, FrameDecoder, type Opcode } from './frame.ts';
import { MessageAssembler } from './message-assembler.ts';

const data = fc.record<Frame>({
  opcode: fc.constantFrom<Opcode[]>('text', 'binary', 'continuation'),
  final: fc.boolean(),
  payload: fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.constantFrom(125, 126, 65_535, 65_536).map((size) => new Uint8Array(size).fill(7)),
  ),
});
const control = fc.record<Frame>({
  opcode: fc.constantFrom<Opcode[]>('ping', 'pong', 'close'),
  final: fc.constant(true),
  payload: fc.uint8Array({ maxLength: 125 }),
});
const mask = fc.uint8Array({ minLength: 4, maxLength: 4 });
const plain = (frame: Frame) => ({ ...frame, payload: [...frame.payload] });

describe('frames', () => {
  test('come out as they went in, masked or not, however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(data, control), { maxLength: 5 }),
        fc.option(mask, { nil: undefined }),
        fc.array(fc.nat(1000), { maxLength: 20 }),
        (frames, key, cuts) => {
          const bytes = Buffer.concat(frames.map((frame) => encodeFrame(frame, key)));
          const decoder = new FrameDecoder({ masked: key !== undefined, limit: 100_000 });
          const bounds = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
          const decoded = bounds
            .slice(1)
            .flatMap((end, index) => [...decoder.push(bytes.subarray(bounds[index], end))]);
          expect(decoded.map(plain)).toEqual(frames.map(plain));
        },
      ),
    );
  });

  test('do not change the payload they are made from', () => {
    const payload = Uint8Array.of(1, 2, 3);
    encodeFrame({ opcode: 'binary', final: true, payload }, Uint8Array.of(9, 9, 9, 9));
    expect([...payload]).toEqual([1, 2, 3]);
  });

  test.each<[string, number[], boolean]>([
    ['an unknown opcode', [0x83, 0x00], false],
    ['extension bits', [0xc2, 0x00], false],
    ['a mask from a server', [0x82, 0x80, 0, 0, 0, 0], false],
    ['no mask from a client', [0x82, 0x00], true],
    ['a fragmented ping', [0x09, 0x00], false],
    ['a long ping', [0x89, 126, 0, 126], false],
    ['more than the limit', [0x82, 127, 0, 0, 0, 0, 0, 0, 4, 1], false],
    ['a length beyond all measure', [0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255], false],
  ])('with %s are refused', (_, bytes, masked) => {
    const decoder = new FrameDecoder({ masked, limit: 1024 });
    expect(() => [...decoder.push(Uint8Array.from(bytes))]).toThrow(expect.objectContaining({ name: 'FrameError' }));
  });
});

describe('fragments', () => {
  const part = (opcode: Opcode, final: boolean, ...bytes: number[]): Frame => ({
    opcode,
    final,
    payload: Uint8Array.from(bytes),
  });

  test('are joined to messages', () => {
    const assembler = new MessageAssembler(10);
    expect(assembler.push(part('binary', false, 1))).toBeUndefined();
    expect(assembler.push(part('continuation', false, 2))).toBeUndefined();
    expect([...(assembler.push(part('continuation', true, 3)) ?? [])]).toEqual([1, 2, 3]);
    expect([...(assembler.push(part('text', true, 4)) ?? [])]).toEqual([4]);
  });

  test('out of order, or too many, are refused', () => {
    expect(() => new MessageAssembler(10).push(part('continuation', true))).toThrow('out of order');
    const assembler = new MessageAssembler(2);
    assembler.push(part('binary', false, 1));
    expect(() => assembler.push(part('binary', true, 1))).toThrow('out of order');
    expect(() => assembler.push(part('continuation', false, 2, 3))).toThrow('longer than 2');
  });
});
