// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { canonicalQuantity } from './quantity-text.ts';

test.each([
  ['0', '0'],
  ['0.5', '500m'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['100Mi', '100Mi'],
  ['1000', '1k'],
  ['1e3', '1e3'],
  ['1E3', '1E3'],
  ['12000e0', '12e3'],
  ['512', '512'],
  ['0.1n', '1n'],
  ['-1.5', '-1500m'],
  ['1Ki', '1Ki'],
  ['0.5Ki', '512'],
  ['2.5Ki', '2560'],
  ['100000', '100k'],
])('%s is written as %s', (text, canonical) => {
  expect(canonicalQuantity(text)).toBe(canonical);
});

test.each(['', 'abc', '1kb', '1 Gi', '.', '--1', '1.2.3'])('%j is no quantity', (text) => {
  expect(canonicalQuantity(text)).toBeUndefined();
});
