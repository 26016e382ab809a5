// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bool, bytes, choice, int64, repeated, string, uint32, uint64 } from './field.ts';
import { embedded, message, optional } from './message.ts';
import { WireError, WireReader } from './reader.ts';
import { WireWriter } from './writer.ts';

const inner = message({ id: uint64(1), name: string(2) });
const everything = message({
  id: uint64(1),
  revision: int64(2),
  hash: uint32(3),
  flag: bool(4),
  text: string(5),
  raw: bytes(6),
  order: choice(7, ['none', 'up', 'down']),
  names: repeated(string(8)),
  header: embedded(9, inner),
  maybe: optional(10, inner),
  list: repeated(embedded(64, inner)),
});

const hex = (data: Uint8Array) => Buffer.from(data).toString('hex');
const unhex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

describe('encoding, against bytes worked out by hand from the protobuf specification', () => {
  test.each([
    ['150 as field 1', { id: 150n }, '089601'],
    ['text as field 5', { text: 'testing' }, '2a0774657374696e67'],
    ['-1 takes ten bytes', { revision: -1n }, '10ffffffffffffffffff01'],
    ['the largest identifier', { id: 2n ** 64n - 1n }, '08ffffffffffffffffff01'],
    ['true', { flag: true }, '2001'],
    ['a name from a list', { order: 'down' as const }, '3802'],
    ['a message inside', { maybe: { id: 1n, name: 'a' } }, '52050801120161'],
    ['several names', { names: ['a', ''] }, '4201614200'],
    ['a field number of two bytes', { list: [{ id: 1n }] }, '8204020801'],
    ['nothing', {}, ''],
  ])('%s', (_, value, expected) => {
    expect(hex(everything.encode(value))).toBe(expected);
  });
});

describe('decoding', () => {
  test('a list that is longer than anything real is not decoded to its end', () => {
    const few = message({ names: repeated(string(8), 2) });
    expect(few.decode(unhex('420161420162')).names).toEqual(['a', 'b']);
    expect(() => few.decode(unhex('4201614201624201634200'))).toThrow(
      'invalid response: field 8 has more than 2 values',
    );
  });

  test('absent fields have their empty value', () => {
    expect(everything.decode(new Uint8Array(0))).toEqual({
      id: 0n,
      revision: 0n,
      hash: 0,
      flag: false,
      text: '',
      raw: new Uint8Array(0),
      order: 'none',
      names: [],
      header: { id: 0n, name: '' },
      maybe: undefined,
      list: [],
    });
  });

  test('two decodings never share a list', () => {
    const [one, other] = [everything.decode(unhex('420161')), everything.decode(unhex('420162'))];
    expect([one.names, other.names]).toEqual([['a'], ['b']]);
    expect(everything.decode(new Uint8Array(0)).names).toEqual([]);
  });

  test('fields of newer servers are skipped, whatever their type', () => {
    const unknown = [
      'a80601', // 101: varint
      'a9060102030405060708', // 101: 64 bits
      'aa0603616263', // 101: bytes
      'ad0601020304', // 101: 32 bits
    ].join('');
    expect(inner.decode(unhex(`${unknown}0805`))).toEqual({ id: 5n, name: '' });
  });

  test('a number that no name stands for is unrecognised', () => {
    expect(everything.decode(unhex('3863')).order).toBe('unrecognised');
  });

  test.each([
    ['a number cut off', '08'],
    ['a number cut off after its fourth byte', '0880808080'],
    ['a number of eleven bytes', '0880808080808080808080'],
    ['bytes cut off', '2a07746573'],
    ['a length beyond any message', '2affffffffffffffff7f'],
    ['field number 0', '0001'],
    ['a group, long out of use', '0b'],
    ['the wrong type for a known field', '0d01020304'],
    ['a broken message inside', '520108'],
    ['64 bits cut off', 'a90601'],
  ])('%s is refused', (_, data) => {
    expect(() => everything.decode(unhex(data))).toThrow(WireError);
  });

  test('any bytes give a message or a WireError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (data) => {
        try {
          everything.decode(data);
        } catch (error) {
          if (!(error instanceof WireError)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test('what is encoded comes back', () => {
  const innerValue = fc.record({
    id: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    name: fc.string({ unit: 'binary' }),
  });
  const value = fc.record({
    id: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    revision: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    hash: fc.nat(2 ** 32 - 1),
    flag: fc.boolean(),
    text: fc.string({ unit: 'binary' }),
    raw: fc.uint8Array(),
    order: fc.constantFrom('none' as const, 'up' as const, 'down' as const),
    names: fc.array(fc.string()),
    header: innerValue,
    maybe: fc.option(innerValue, { nil: undefined }),
    list: fc.array(innerValue),
  });
  fc.assert(
    fc.property(value, (given) => {
      const decoded = everything.decode(everything.encode(given));
      expect({ ...decoded, raw: [...decoded.raw] }).toEqual({ ...given, raw: [...given.raw] });
    }),
  );
});

test('numbers of every length are read as they were written', () => {
  fc.assert(
    fc.property(fc.nat(64), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (bits, random) => {
      const value = BigInt.asUintN(bits, random);
      expect(new WireReader(new WireWriter().varint(value).finish()).varint()).toBe(value);
    }),
  );
});
