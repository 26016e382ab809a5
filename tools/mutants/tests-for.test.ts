// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { testsFor } from './tests-for.ts';

const folder = 'apps/operator/src/cluster/plan';
const all = [
  `${folder}/scaling/grow.ts`,
  `${folder}/scaling/grow.test.ts`,
  `${folder}/situations.test.ts`,
  `${folder}/testing/random-runs.test.ts`,
  `${folder}/healing/nodes.lab.test.ts`,
  `${folder}/testing/random-runs.long.test.ts`,
  'apps/operator/src/restore/plan/plan.test.ts',
  'test/simulation/smoke.test.ts',
  'test/simulation/seeds.long.test.ts',
];

test('the test beside a file and the situations are its own, models are others', () => {
  expect(testsFor(`${folder}/scaling/grow.ts`, all, { lab: false })).toEqual({
    own: [`${folder}/scaling/grow.test.ts`, `${folder}/situations.test.ts`],
    others: [`${folder}/testing/random-runs.test.ts`],
    simulation: ['test/simulation/smoke.test.ts'],
  });
});

test('the lab is asked only when told', () => {
  expect(testsFor(`${folder}/scaling/grow.ts`, all, { lab: true }).others).toContain(
    `${folder}/healing/nodes.lab.test.ts`,
  );
});
