// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prefixEnd, toBytes } from './kv.ts';

test('the end of a prefix lies after every key with it and not after any other', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.uint8Array({ maxLength: 6 }), (prefix, key) => {
      const end = prefixEnd(prefix);
      const [from, to, probe] = [prefix, end, key].map((part) => Buffer.from(part)) as [Buffer, Buffer, Buffer];
      const unbounded = end.byteLength === 1 && end[0] === 0;
      const inRange = Buffer.compare(probe, from) >= 0 && (unbounded || Buffer.compare(probe, to) < 0);
      expect(inRange).toBe(probe.subarray(0, from.byteLength).equals(from));
    }),
  );
});

test('the empty prefix and one of nothing but 0xff cover all that follows', () => {
  expect([...prefixEnd(new Uint8Array(0))]).toEqual([0]);
  expect([...prefixEnd(Uint8Array.of(0xff, 0xff))]).toEqual([0]);
  expect([...prefixEnd(toBytes('ab'))]).toEqual([...toBytes('ac')]);
});

test('the prefix of a caller stays as it is, also in a Buffer', () => {
  const prefix = Buffer.from('ab');
  expect(Buffer.from(prefixEnd(prefix)).toString()).toBe('ac');
  expect(prefix.toString()).toBe('ab');
});
