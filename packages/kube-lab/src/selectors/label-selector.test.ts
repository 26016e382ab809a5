// SPDX-License-Identifier: Apache-2.0
import { matchesLabels } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { parseLabelSelector } from './label-selector.ts';

describe('a label selector', () => {
  test.each([
    ['a=b', { a: 'b' }, true],
    ['a==b', { a: 'c' }, false],
    ['a!=b', {}, true],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a in (b, c)', { a: 'c' }, true],
    ['a notin (b,c)', { a: 'c' }, false],
    ['a notin (b,c)', {}, true],
    ['a in (,b)', { a: '' }, true],
    ['in in (in)', { in: 'in' }, true],
    ['a>3,b<2', { a: '4', b: '1' }, true],
    ['a=', { a: '' }, true],
    ['x.y/z=1, b', { 'x.y/z': '1', b: '' }, true],
  ])('%s on %j is %s', (selector, labels, expected) => {
    expect(matchesLabels(parseLabelSelector(selector), labels)).toBe(expected);
  });

  test.each([
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a,', "found '', expected: identifier after ','"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ])('%j is refused: %s', (selector, message) => {
    expect(() => parseLabelSelector(selector)).toThrow(message);
  });
});
