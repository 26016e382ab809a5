// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sealedFile } from './sealed-file.ts';

function memory() {
  let stored: Buffer = Buffer.alloc(0);
  return {
    stored: () => stored,
    append: async (bytes: Uint8Array) => {
      const offset = stored.byteLength;
      stored = Buffer.concat([stored, bytes]);
      return offset;
    },
    read: async (offset: number, length: number) => stored.subarray(offset, offset + length),
  };
}

const key = Buffer.alloc(32, 7);

test('what is written in pieces is read at any place, and lies there in no way as it is', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 50 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.nat(300), fc.nat(60), async (written, offset, length) => {
      const file = memory();
      const sealed = sealedFile(file, key);
      const whole = Buffer.concat(written);
      let expected = 0;
      for (const piece of written) {
        expect(await sealed.append(piece)).toBe(expected);
        expected += piece.byteLength;
      }
      expect(Buffer.from(await sealed.read(offset, length))).toEqual(whole.subarray(offset, offset + length));
      expect(whole.byteLength <= 8 || !file.stored().equals(whole)).toBe(true);
    }),
  );
});
