// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { superLinear } from './super-linear.ts';

const file = 'packages/kube/src/trial.ts';
const problemsOf = (expression: string, path = file) =>
  problemsWith(superLinear, { [path]: source(`export const trial = ${expression};`) });

describe('expressions that an attacker can make slow', () => {
  test.each([
    ['/^(a+)+$/', 'exponential'],
    ['/^(a|a)*$/', 'exponential'],
    ['/^(\\w+\\s?)*$/', 'exponential'],
    ['/^(a|ab|b)*$/', 'exponential'],
    ['/^((\\w|\\d))+$/', 'exponential'],
    ['/-----BEGIN-----.*?-----END-----/s', 'quadratic'],
    ['/(https?:\\/\\/[^\\s?]*)\\?/', 'quadratic'],
    ['/^x|%.*;/', 'quadratic'],
    ['/\\bx[^;]*;/', 'quadratic'],
    ['/\\s+$/', 'quadratic'],
    ['/[\\s.]+$/g', 'quadratic'],
    ['/^\\s*(.*?)\\s*$/', 'quadratic'],
    ['/a.*b.*c/', 'quadratic'],
    ['/^\\d+\\d+$/', 'quadratic'],
    ["new RegExp('\\\\s+$')", 'quadratic'],
  ])('%s takes %s time', async (expression, time) => {
    expect(await problemsOf(expression)).toEqual([
      expect.objectContaining({ rule: 'super-linear', file, line: 2, message: expect.stringContaining(time) }),
    ]);
  });
});

describe('expressions that are as fast as their text is short', () => {
  test.each([
    '/^\\s+/',
    '/^-----BEGIN-----.*?-----END-----/s',
    '/etcd Version: *(\\S+)/',
    '/"([^"]*)"/',
    '/\\.\\d+Z$/',
    '/(?:^|^b)a*c/',
    '/(ms|m|s)/',
    '/(?<!\\s)\\s+$/',
    '/\\s{1,8}$/',
    '/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/',
    '/^(\\d+(\\.\\d+)?(ms|s|m|h))+$/',
    '/-?\\d+(?:\\.\\d+)?/y',
    "'/(a+)+$/'",
    'new RegExp(String(1))',
  ])('%s', async (expression) => {
    expect(await problemsOf(expression)).toEqual([]);
  });

  test('and those of tests and of the test bed, which read their own texts', async () => {
    expect(await problemsOf('/\\s+$/', 'packages/kube/src/trial.test.ts')).toEqual([]);
    expect(await problemsOf('/\\s+$/', 'packages/kube-lab/src/trial.ts')).toEqual([]);
  });
});
