// SPDX-License-Identifier: Apache-2.0
import { systemRandom } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { StoppedLeaders } from './testing/two-operators/stopped-leaders.ts';

/** The long tier runs more rounds. */
const rounds = Number(process.env['STOPPED_LEADER_ROUNDS'] ?? 10);

test('fault 38: of two operators, the one that is stopped for longer than its lease changes nothing when it goes on', async () => {
  await using scene = await StoppedLeaders.start(systemRandom);
  while (scene.rounds.length < rounds) {
    await scene.round();
    expect(scene.late()).toEqual([]);
  }
  await scene.comesToRest();
  expect(scene.late()).toEqual([]);
  expect(new Set(scene.records.map(({ to }) => to))).toEqual(new Set(['kubernetes', 'etcd', 'store']));
});
