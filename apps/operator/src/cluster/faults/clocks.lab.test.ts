// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OperatorLab } from '../../testing/operator-lab.ts';
import { listedMembers } from './testing/listed-members.ts';
import { followerOf, isReplaced } from './testing/one-member.ts';
import { skewedClock } from './testing/skewed-clocks.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

test('fault 37: the clock of the operator is six hours ahead and that of the API server six behind: no member is taken for dead or late', async () => {
  await ground.stopOperator();
  const hours = 6 * 3_600_000;
  ground.lab.server.faults.jumpClock(-hours);
  ground.startOperator({ clock: skewedClock(hours) });
  await ground.create('skewed', { size: 3 });
  await ground.settled('skewed');
  const before = await listedMembers(ground, 'skewed');
  await systemClock.sleep(5_000);
  expect(await listedMembers(ground, 'skewed')).toEqual(before);
  const { name, id } = await followerOf(ground, 'skewed');
  await ground.deletePod(name, 0);
  await isReplaced(ground, 'skewed', id);
  await ground.settled('skewed');
  expect((await listedMembers(ground, 'skewed')).voters.filter((one) => before.ids.includes(one))).toHaveLength(2);
  await ground.stopOperator();
  ground.lab.server.faults.jumpClock(hours);
  ground.startOperator();
});
