// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { membersNamed, sentence } from './sentence.ts';

test.each([
  ['0/3 nodes are available', '0/3 nodes are available.'],
  ['not found. ', 'not found.'],
  ['x'.repeat(400), `${'x'.repeat(300)}.`],
])('%j ends like a sentence', (text, expected) => {
  expect(sentence(text)).toBe(expected);
});

test.each([
  [['a'], 'member a'],
  [['a', 'b'], 'members a and b'],
  [['a', 'b', 'c'], 'members a, b and c'],
])('%j are named', (names, expected) => {
  expect(membersNamed(names)).toBe(expected);
});
