// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { areasOf, inAreas } from './area.ts';

const file = 'apps/operator/src/backup/big-data.long.test.ts';

test('the areas of a file are its folders and its name', () => {
  expect(areasOf(file)).toEqual(['operator', 'backup', 'big-data']);
  expect(areasOf('test/faults/kill-sweep.long.test.ts')).toEqual(['faults', 'kill-sweep']);
  expect(areasOf('apps/operator/src/cluster/lifecycle.lab.test.ts')).toEqual(['real-control-plane']);
});

test.each([
  [[], true],
  [['backup'], true],
  [['faults', 'big-data'], true],
  [['big'], true],
  [['back'], false],
  [['src'], false],
  [['apps/operator'], true],
  [['apps/operator/src/backup/'], true],
  [[file], true],
  [['apps/oper'], false],
])('areas %j pick it: %s', (areas, picked) => {
  expect(inAreas(areas)(file)).toBe(picked);
});
