// SPDX-License-Identifier: Apache-2.0
import { systemRandom } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { StoppedLeaders } from './testing/two-operators/stopped-leaders.ts';

const rounds = Number(process.env['STOPPED_LEADER_ROUNDS'] ?? 200);

test('fault 38: of two operators, none that was stopped for longer than its lease has changed anything since, as often as it is tried', async () => {
  await using scene = await StoppedLeaders.start(systemRandom);
  while (scene.rounds.length < rounds) {
    await scene.round();
    process.stdout.write(`    ${scene.summary()}\n`);
    expect(scene.late()).toEqual([]);
  }
  await scene.comesToRest();
  expect(scene.late()).toEqual([]);
  expect(new Set(scene.records.map(({ to }) => to))).toEqual(new Set(['kubernetes', 'etcd', 'store']));
});
