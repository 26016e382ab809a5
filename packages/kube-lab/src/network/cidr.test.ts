// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { inRange } from './cidr.ts';

test.each([
  ['10.244.1.5', '10.244.1.0/24', true],
  ['10.244.2.5', '10.244.1.0/24', false],
  ['10.244.1.5', '10.244.1.5/32', true],
  ['10.244.1.6', '10.244.1.5/32', false],
  ['::ffff:10.244.1.5', '10.244.1.5', true],
  ['255.255.255.255', '0.0.0.0/0', true],
  ['fe80::1', '10.0.0.0/8', false],
  ['fd00:10:244:1::5', 'fd00:10:244:1::/64', true],
  ['fd00:10:244:2::5', 'fd00:10:244:1::/64', false],
  ['fd00:10:244:1::5', 'fd00:10:244:1::5/128', true],
  ['10.244.1.5', '::/0', false],
  ['10.0.0.300', '10.0.0.0/8', false],
])('%s in %s: %s', (address, range, expected) => {
  expect(inRange(address, range)).toBe(expected);
});
