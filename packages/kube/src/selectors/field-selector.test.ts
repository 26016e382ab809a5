// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatFieldSelector, matchesFields, parseFieldSelector } from './field-selector.ts';

test.each([
  ['', []],
  ['metadata.name=x', [{ field: 'metadata.name', negated: false, value: 'x' }]],
  ['metadata.name==x', [{ field: 'metadata.name', negated: false, value: 'x' }]],
  ['status.phase!=Running', [{ field: 'status.phase', negated: true, value: 'Running' }]],
  [
    'a=1,,b=',
    [
      { field: 'a', negated: false, value: '1' },
      { field: 'b', negated: false, value: '' },
    ],
  ],
  ['a=x\\,y\\=z\\\\', [{ field: 'a', negated: false, value: 'x,y=z\\' }]],
])('%j is read', (text, expected) => {
  expect(parseFieldSelector(text)).toEqual(expected);
});

test.each(['a', 'a=1,b', 'a=\\x', 'a=\\', 'a=b=c'])('%j is refused', (text) => {
  expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ code: 'FieldSelector' }));
});

test('any requirements survive writing and reading', () => {
  const requirement = fc.record({
    field: fc.constantFrom('metadata.name', 'spec.nodeName'),
    negated: fc.boolean(),
    value: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(requirement), (requirements) => {
      expect(parseFieldSelector(formatFieldSelector(requirements))).toEqual(requirements);
    }),
  );
});

test('an absent field reads as empty', () => {
  const fields = new Map([['spec.nodeName', 'n']]);
  const matches = (text: string) => matchesFields(parseFieldSelector(text), (field) => fields.get(field));
  expect(matches('spec.nodeName=n')).toBe(true);
  expect(matches('spec.nodeName=n,spec.x=')).toBe(true);
  expect(matches('spec.x!=')).toBe(false);
});
