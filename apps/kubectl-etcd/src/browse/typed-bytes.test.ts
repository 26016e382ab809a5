// SPDX-License-Identifier: Apache-2.0
import { printable } from '@operator-parts/etcd';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf } from './typed-bytes.ts';

test.each([
  ['/registry/pods', '/registry/pods'],
  ['größe', 'größe'],
  ['two words', 'two words'],
  ['', '""'],
  [' x', '" x"'],
  ['"', String.raw`"\""`],
  ['line\nbreak', String.raw`"line\x0abreak"`],
  ['\u001b[2J', String.raw`"\x1b[2J"`],
  ['a\u202eb', String.raw`"a\xe2\x80\xaeb"`],
])('%j is shown as %s', (text, shown) => {
  expect(printable(Buffer.from(text))).toBe(shown);
});

test('whatever the bytes are, they fit on a line, do nothing to a terminal, and can be typed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      const shown = printable(bytes);
      expect(shown).not.toMatch(/\p{C}/u);
      expect([...bytesOf(shown)]).toEqual([...bytes]);
    }),
  );
});

test('what is typed in quotes and cannot be read is refused', () => {
  expect(() => bytesOf(String.raw`"\n"`)).toThrow(String.raw`write a byte as \xNN`);
});
