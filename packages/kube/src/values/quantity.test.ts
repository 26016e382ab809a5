// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatQuantity, parseQuantity, type Quantity, storedQuantity, wholeValue } from './quantity.ts';

const canonical = (text: string | number) => formatQuantity(parseQuantity(text));

describe('the canonical text of a quantity', () => {
  test.each([
    ['0', '0'],
    ['0Ki', '0'],
    ['-0', '0'],
    ['1', '1'],
    [1.5, '1500m'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['1.', '1'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['1.5Gi', '1536Mi'],
    ['1024Mi', '1Gi'],
    ['0.5Ki', '512'],
    ['1023Ki', '1023Ki'],
    ['0.5Gi', '512Mi'],
    ['1.1Ki', '1126400m'],
    ['2e3', '2e3'],
    ['2000e0', '2e3'],
    ['1E', '1E'],
    ['1000E', '1000E'],
    ['1E3', '1e3'],
    ['12e-4', '1200e-6'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['1e-20', '1e-9'],
    ['100u', '100u'],
    ['-5M', '-5M'],
    ['9999999999Ei', '9223372036854775807'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
  ])('of %s is %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  test.each([
    '',
    ' 1',
    '1 ',
    'Ki',
    '.',
    '-',
    '1.2.3',
    '1K',
    '1ki',
    '1mi',
    '0x1',
    '1e',
    '1e1.5',
    '1Ki1',
    'NaN',
    '1e99999',
    '１',
  ])('%j is refused', (text) => {
    expect(() => parseQuantity(text)).toThrow(expect.objectContaining({ name: 'ParseError', code: 'Quantity' }));
  });
});

test('the server keeps some texts as they are written', () => {
  const kept = ['0', '1.125', '+5', '1500Mi', '01Mi', '2e3'];
  expect(kept.map(storedQuantity)).toEqual(kept);
  expect(['0.5', '1000m', '1024Ki', '1.5'].map(storedQuantity)).toEqual(['500m', '1', '1Mi', '1500m']);
});

const quantity: fc.Arbitrary<Quantity> = fc.record({
  nano: fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }),
  format: fc.constantFrom('DecimalSI', 'DecimalExponent'),
});

describe('for any quantities', () => {
  test('reading what was written gives the same amount, and writing it again the same text', () => {
    fc.assert(
      fc.property(quantity, (value) => {
        const text = formatQuantity(value);
        expect(parseQuantity(text).nano).toBe(value.nano);
        expect(canonical(text)).toBe(text);
      }),
    );
  });

  test('whole binary amounts survive with their suffix', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), fc.constantFrom('Ki', 'Mi', 'Gi'), (amount, suffix) => {
        const text = `${amount % 2n ** 20n}${suffix}`;
        expect(wholeValue(parseQuantity(canonical(text)))).toBe(wholeValue(parseQuantity(text)));
      }),
    );
  });
});

test('the whole value is rounded away from zero', () => {
  expect(['100m', '1', '1.1', '-1.1', '2Ki', '0'].map((text) => wholeValue(parseQuantity(text)))).toEqual([
    1n,
    1n,
    2n,
    -2n,
    2048n,
    0n,
  ]);
});

test('a text without end is refused in the time it takes to read it', () => {
  // Took minutes when each digit was tried again.
  expect(() => parseQuantity(`${'1'.repeat(200_000)}x`)).toThrow('x');
}, 5_000);
