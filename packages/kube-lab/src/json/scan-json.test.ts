// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { duplicateKeys, scanJson } from './scan-json.ts';

describe('scanJson', () => {
  test('accepts every JSON text', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(scanJson(text).duplicates).toEqual([]);
        expect(scanJson(JSON.stringify(JSON.parse(text), null, 2)).duplicates).toEqual([]);
      }),
    );
  });

  test('accepts exactly what JSON.parse accepts', () => {
    const mangled = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, junk]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + junk + text.slice(place + 1);
    });
    fc.assert(
      fc.property(mangled, (text) => {
        const parses = (read: (text: string) => unknown) => {
          try {
            read(text);
            return true;
          } catch {
            return false;
          }
        };
        expect(parses(scanJson)).toBe(parses(JSON.parse));
      }),
    );
  });

  test.each([
    ['{bad', "invalid character 'b' looking for beginning of object key string"],
    ['', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
  ])('says of %j: %s', (text, message) => {
    expect(() => scanJson(text)).toThrow(message);
  });
});

test('keys given twice are named by their paths', () => {
  const text = '{"a":{"b":1,"b":2},"c":[{"d":1,"d":"x\\":y"}],"a":3}';
  expect(duplicateKeys(text, JSON.parse(text))).toEqual(['a.b', 'c[0].d', 'a']);
});

test('no key hides another that is given twice, whatever it is called', () => {
  const key = fc.oneof(fc.string(), fc.constantFrom('a\\', '\\', 'k:{"a":1}', '":', 'a":', '\\":'));
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(key, fc.constant(1))), key, (others, twice) => {
      const rest = JSON.stringify(others).slice(1);
      const name = JSON.stringify(twice);
      const once = `{${name}:1${rest === '}' ? '' : ','}${rest}`;
      expect(duplicateKeys(once, JSON.parse(once))).toEqual(Object.hasOwn(others, twice) ? [twice] : []);
      const text = `{${name}:1,${once.slice(1)}`;
      expect(duplicateKeys(text, JSON.parse(text))).toContain(twice);
    }),
  );
});
