// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Deframer, FrameError, frame } from './frame.ts';

describe('frames', () => {
  test('a message has a flag and its length before it', () => {
    expect([...frame(Uint8Array.of(7, 8))]).toEqual([0, 0, 0, 0, 2, 7, 8]);
  });

  test('messages come back whole, however the stream is cut', () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });
    fc.assert(
      fc.property(messages, fc.array(fc.nat(50), { maxLength: 60 }), (given, cuts) => {
        const whole = Buffer.concat(given.map(frame));
        const deframer = new Deframer(1024);
        const found: Uint8Array[] = [];
        let position = 0;
        for (const cut of [...cuts, whole.byteLength]) {
          found.push(...deframer.push(whole.subarray(position, position + cut)));
          position += cut;
        }
        expect(found.map((message) => [...message])).toEqual(given.map((message) => [...message]));
        expect(deframer.partial).toBe(false);
      }),
    );
  });

  test('a message that has begun and not ended is noticed', () => {
    const deframer = new Deframer(1024);
    expect(deframer.push(frame(Uint8Array.of(1, 2, 3)).subarray(0, 6))).toEqual([]);
    expect(deframer.partial).toBe(true);
  });

  test('a message beyond the limit is refused by its length, before it is held', () => {
    const deframer = new Deframer(10);
    expect(() => deframer.push(Uint8Array.of(0, 0, 0, 0, 11))).toThrow(/larger than the limit of 10/);
  });

  test('a compressed message is refused: it was not requested', () => {
    expect(() => new Deframer(10).push(Uint8Array.of(1, 0, 0, 0, 0))).toThrow(FrameError);
  });
});
