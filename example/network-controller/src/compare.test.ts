// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { compare } from './compare.ts';

const a = { cidr: '10.0.0.0/8', gateway: '10.0.0.1' };
const b = { cidr: '10.0.0.0/8', gateway: '10.0.0.2' };

test.each([
  ['none', 'none', undefined, undefined, { type: 'nothing' }],
  ['none', 'one', undefined, a, { type: 'delete' }],
  ['one', 'none', a, undefined, { type: 'create', settings: a }],
  ['one', 'the same', a, { ...a }, { type: 'nothing' }],
  ['one', 'another', a, b, { type: 'update', settings: a }],
])('%s is wanted and %s is there', (_wanted, _there, desired, actual, step) => {
  expect(compare(desired, actual)).toEqual(step);
});
