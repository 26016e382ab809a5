// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparedWhole, crc32Of, crc32OfParts, crc32OfWhole } from './part-sums.ts';

function partsOf(...bodies: readonly Uint8Array[]) {
  return bodies.map((body, index) => ({ number: index + 1, bytes: body.byteLength, sum: crc32Of(body) }));
}

test('sums are those of CRC-32, most significant byte first', () => {
  expect(crc32Of(Buffer.from('123456789'))).toBe(Buffer.from('cbf43926', 'hex').toString('base64'));
  expect(crc32Of(Buffer.alloc(0))).toBe('AAAAAA==');
});

test('the sum of an object of parts is the sum of their sums, with their number', () => {
  const parts = partsOf(Buffer.from('12345'), Buffer.from('6789'));
  const sums = Buffer.from('cbf53a1c9dbabf87', 'hex');
  expect(parts.map(({ sum }) => Buffer.from(sum, 'base64').toString('hex')).join('')).toBe(sums.toString('hex'));
  expect(crc32OfParts(parts)).toBe(`${crc32Of(sums)}-2`);
});

test('the sum of the whole follows from those of its parts', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), (bodies) => {
      expect(crc32OfWhole(partsOf(...bodies))).toBe(crc32Of(Buffer.concat(bodies)));
    }),
  );
});

test('the sum of the whole is right for parts of the usual size', () => {
  const bodies = [Buffer.alloc(5 << 20, 'a'), Buffer.alloc(5 << 20, 'b'), Buffer.from('end')];
  expect(crc32OfWhole(partsOf(...bodies))).toBe(crc32Of(Buffer.concat(bodies)));
});

describe('what a store tells of an object of parts', () => {
  const parts = partsOf(Buffer.from('12345'), Buffer.from('6789'));
  const [first] = parts;
  const one = first ? [first] : [];

  test.each([
    ['nothing', undefined, parts, 'unknown'],
    ['the sum of the whole', crc32Of(Buffer.from('123456789')), parts, 'same'],
    ['another sum of the whole', crc32Of(Buffer.from('123456780')), parts, 'other'],
    ['the sum of the sums of several parts, which does not speak of the whole', crc32OfParts(parts), parts, 'unknown'],
    ['the sum of the sum of one part', crc32OfParts(one), one, 'same'],
    ['the sum of other sums', crc32OfParts([...parts].reverse()), parts, 'other'],
  ] as const)('%s', (_title, told, sent, expected) => {
    expect(comparedWhole(told, sent)).toBe(expected);
  });
});
