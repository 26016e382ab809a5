// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { counted, isOrAre } from './counted.ts';

test.each([
  [0, 1, '0 of 1 voter is reachable'],
  [1, 1, '1 of 1 voter is reachable'],
  [0, 3, '0 of 3 voters are reachable'],
  [1, 3, '1 of 3 voters is reachable'],
  [2, 3, '2 of 3 voters are reachable'],
])('%i of %i', (count, all, text) => {
  expect(`${count} of ${counted(all, 'voter')} ${isOrAre(count, all)} reachable`).toBe(text);
});

test.each([
  [0, '0 voters would be left, 0 are needed'],
  [1, '1 voter would be left, 1 is needed'],
  [2, '2 voters would be left, 2 are needed'],
])('%i alone', (count, text) => {
  expect(`${counted(count, 'voter')} would be left, ${count} ${isOrAre(count)} needed`).toBe(text);
});
