// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LabelRequirement, labelRequirements, matchesLabelSelector, matchesLabels } from './label-requirement.ts';
import { formatLabelSelector, parseLabelSelector } from './label-selector.ts';

const matches = (selector: string, labels: Record<string, string>) =>
  matchesLabels(parseLabelSelector(selector), labels);

describe('the text form', () => {
  test.each([
    ['', {}, true],
    ['   ', { a: '1' }, true],
    ['a=1', { a: '1' }, true],
    ['a==1', { a: '1' }, true],
    ['a = 1', { a: '2' }, false],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
    ['a!=1', {}, true],
    ['a!=1', { a: '1' }, false],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['! a', {}, true],
    ['a in (1,2)', { a: '2' }, true],
    ['a in(1)', { a: '2' }, false],
    ['a in ()', { a: '' }, true],
    ['a in (,2)', { a: '' }, true],
    ['a notin (1,2)', {}, true],
    ['a notin (1,2)', { a: '1' }, false],
    ['a>3', { a: '4' }, true],
    ['a>3', { a: '3' }, false],
    ['a<3', { a: '-10' }, true],
    ['a<3', { a: 'x' }, false],
    ['a=1,b!=2,!c', { a: '1', b: '3' }, true],
    ['a=1,b!=2,!c', { a: '1', b: '2' }, false],
    ['in in (notin)', { in: 'notin' }, true],
    ['example.com/a_b.c=X-1', { 'example.com/a_b.c': 'X-1' }, true],
    ['toString', {}, false],
  ] as const)('%j on %j is %s', (selector, labels, expected) => {
    expect(matches(selector, labels)).toBe(expected);
  });

  test.each([
    'a=b=c',
    ',',
    'a,',
    ',a',
    'a in',
    'a in (',
    'a in (1',
    'a in 1',
    '=1',
    'a b',
    '!a=1',
    'a!',
    '!',
    'a>',
    'a>x',
    '(a)',
    'a=-',
    '/a=1',
    '-a',
    'a in (1))',
    `${'a'.repeat(64)}=1`,
    'a===',
  ])('%j is refused', (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow(expect.objectContaining({ code: 'LabelSelector' }));
  });
});

const key = fc.constantFrom('a', 'b', 'example.com/c', 'in');
const value = fc.constantFrom('', '1', '2', 'x.y', 'notin');
const set = fc.uniqueArray(value, { minLength: 1, maxLength: 3 }).map((values) => values.toSorted());
const anyRequirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values: set }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist'), values: fc.constant([]) }),
  fc.record({ key, operator: fc.constantFrom('Gt', 'Lt'), values: fc.tuple(fc.nat().map(String)) }),
);

test('any requirements survive writing and reading', () => {
  fc.assert(
    fc.property(fc.array(anyRequirement, { maxLength: 4 }), (requirements) => {
      expect(parseLabelSelector(formatLabelSelector(requirements))).toEqual(requirements);
    }),
  );
});

test('In and NotIn, Exists and DoesNotExist never agree', () => {
  fc.assert(
    fc.property(key, set, fc.dictionary(key, value), (name, values, labels) => {
      const meets = (operator: LabelRequirement['operator'], list: readonly string[]) =>
        matchesLabels([{ key: name, operator, values: list }], labels);
      expect(meets('In', values)).toBe(!meets('NotIn', values));
      expect(meets('Exists', [])).toBe(!meets('DoesNotExist', []));
    }),
  );
});

describe('the object form', () => {
  test('needs matchLabels and matchExpressions both', () => {
    const selector = { matchLabels: { a: '1' }, matchExpressions: [{ key: 'b', operator: 'In', values: ['2', '3'] }] };
    expect(matchesLabelSelector(selector, { a: '1', b: '3' })).toBe(true);
    expect(matchesLabelSelector(selector, { a: '1' })).toBe(false);
    expect(formatLabelSelector(labelRequirements(selector))).toBe('a=1,b in (2,3)');
  });

  test('selects everything when empty and nothing when absent', () => {
    expect(matchesLabelSelector({}, { a: '1' })).toBe(true);
    expect(matchesLabelSelector(undefined, { a: '1' })).toBe(false);
    expect(matchesLabelSelector(null)).toBe(false);
  });

  test.each([
    { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] },
    { matchExpressions: [{ key: 'a', operator: 'In' }] },
    { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['1'] }] },
    { matchLabels: { 'not a key': 'x' } },
    { matchLabels: { a: 'not a value' } },
  ])('%j is refused', (selector) => {
    expect(() => labelRequirements(selector)).toThrow(expect.objectContaining({ code: 'LabelSelector' }));
  });
});
