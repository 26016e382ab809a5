// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Measure } from './measure.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('both hashes are those of the whole and of all but its last 32 bytes, however it is cut', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(70), { maxLength: 12 }), (bytes, cuts) => {
      const measure = new Measure();
      let from = 0;
      for (const cut of [...cuts, bytes.byteLength]) {
        const piece = Buffer.from(bytes.subarray(from, from + cut));
        from += cut;
        measure.update(piece);
        piece.fill(0);
      }
      const end = Math.max(0, bytes.byteLength - 32);
      expect(measure.result()).toEqual({
        bytes: bytes.byteLength,
        sha256: sha256(bytes),
        embedded: { sha256: sha256(bytes.subarray(0, end)), says: Buffer.from(bytes.subarray(end)).toString('hex') },
      });
    }),
  );
});
