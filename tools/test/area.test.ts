// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { areasOf, inAreas } from './area.ts';

const file = 'apps/operator/src/backup/big-data.long.test.ts';

test('the areas of a file are its folders and its name', () => {
  expect(areasOf(file, 'long')).toEqual(['operator', 'backup', 'big-data']);
  expect(areasOf('test/faults/kill-sweep.long.test.ts', 'long')).toEqual(['faults', 'kill-sweep']);
});

test('a lab test is in the area of the project that runs it, and in no other', () => {
  const lab = 'apps/operator/src/cluster/plan/quorum/recovery.lab.test.ts';
  expect(areasOf(lab, 'on-etcd-3.5')).toEqual(['on-etcd-3.5']);
  expect(inAreas(['on-etcd'])(lab, 'on-etcd-3.5')).toBe(true);
  expect(inAreas(['on-etcd-3.7'])(lab, 'on-etcd-3.5')).toBe(false);
  expect(inAreas(['real-control-plane'])(lab, 'on-etcd-3.5')).toBe(false);
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
  expect(inAreas(areas)(file, 'long')).toBe(picked);
});
