// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expand } from './expansion.ts';

const values: Readonly<Record<string, string>> = { A: 'one', B: '$(A)', EMPTY: '' };
const lookup = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);

test.each([
  ['$(A)', 'one'],
  ['x$(A)y$(A)z', 'xoneyonez'],
  ['$(B)', '$(A)'],
  ['$(EMPTY)|', '|'],
  ['$(NONE)', '$(NONE)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$one'],
  ['$A $ {A} $', '$A $ {A} $'],
  ['$(A', '$(A'],
  ['$()', '$()'],
  ['$($(A))', '$($(A))'],
  ['$(__proto__)', '$(__proto__)'],
])('%s becomes %s', (text, expected) => {
  expect(expand(text, lookup)).toBe(expected);
});

test('text without a dollar is unchanged, and doubled dollars become single', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(expand(text.replaceAll('$', '$$$$'), () => 'x')).toBe(text);
    }),
  );
});
