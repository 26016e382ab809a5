// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { terminationGrace } from './termination-grace.ts';

test.each([
  [undefined, 3],
  ['1000', 3],
  ['100', 3],
  ['1001', 4],
  ['5000', 7],
  ['50000', 52],
  ['', 3],
  ['5s', 3],
  ['-1', 3],
])('with an election timeout of %s ms a member has %i s to end', (value, seconds) => {
  const env = value === undefined ? [] : [{ name: 'ETCD_ELECTION_TIMEOUT', value }];
  expect(terminationGrace(env)).toBe(seconds);
});
