// SPDX-License-Identifier: Apache-2.0
import type { Benchmark } from '../benchmark.ts';
import { verdict } from '../verdict.ts';
import { inTurns, type Measures, ratiosTo } from './rounds.ts';
import { scaled } from './scale.ts';
import type { Side } from './side.ts';
import { numberOf, World } from './world.ts';

const pods = scaled(10_000);
const changes = 250;
const theirs = 'controller-runtime';

/**
 * One EtcdCluster is changed every 50 ms; a watch from outside measures from the change of its spec to that of its status. Both sides
 * have 10,000 pods in their caches, so that their collectors have something to do.
 */
export const eventLatency: Benchmark = {
  id: 'B7',
  title: `from event to write, with ${pods} pods cached, against controller-runtime`,
  async run(report, signal) {
    await using world = await World.open(report, signal);
    await world.load('pods', pods, report);
    await world.load('clusters', 1, report);
    await world.addSettings();
    const flags = { concurrency: 1, 'with-pods': true };
    const medians = await inTurns(
      [
        { name: 'ours', measure: () => pulse(world, () => world.ours('controller', flags)) },
        { name: theirs, measure: () => pulse(world, () => world.theirs('controller', flags)) },
      ],
      2,
      report,
    );
    return verdict(ratiosTo(medians, 'ours', theirs), {
      [`p50 vs ${theirs}`]: { atMost: 1.15 },
      [`p99 vs ${theirs}`]: { atMost: 1.3 },
    });
  },
};

async function pulse(world: World, start: () => Promise<Side>): Promise<Measures> {
  await using loader = await world.theirs('pulse', { count: changes, milliseconds: 50 });
  await using side = await start();
  await side.tell('count');
  // The first run is for compilers and connections.
  await loader.tell('go');
  const answer = await loader.tell('go');
  // Changes that came while one was being answered are answered together with the next.
  if (numberOf(answer, 'count') < changes / 2) {
    throw new Error(
      `${numberOf(answer, 'count')} of ${changes} changes have a status of their own: the machine is too busy`,
    );
  }
  return { p50: numberOf(answer, 'p50'), p99: numberOf(answer, 'p99'), max: numberOf(answer, 'max') };
}
