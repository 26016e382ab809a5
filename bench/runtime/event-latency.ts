// SPDX-License-Identifier: Apache-2.0
import type { Benchmark } from '../benchmark.ts';
import { verdict } from '../verdict.ts';
import { inTurns, type Measures, ratiosTo } from './rounds.ts';
import { scaled } from './scale.ts';
import type { Side } from './side.ts';
import { numberOf, World } from './world.ts';

const pods = scaled(10_000);
/** 2,000 in five rounds. */
const changes = 400;
const rounds = 5;
/** For compilers and connections. */
const firstChanges = 50;
const theirs = 'controller-runtime';

/**
 * One EtcdCluster is changed every 50 ms; an external watch measures from the change of its spec to that of its status.
 * Both sides have 10,000 pods in their caches, so that garbage collection has work.
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
        { name: 'ours', measure: (isWarmUp) => pulse(world, isWarmUp, () => world.ours('controller', flags)) },
        { name: theirs, measure: (isWarmUp) => pulse(world, isWarmUp, () => world.theirs('controller', flags)) },
      ],
      rounds,
      report,
    );
    return verdict(ratiosTo(medians, 'ours', theirs), {
      [`p50 vs ${theirs}`]: { atMost: 1.15 },
      [`p99 vs ${theirs}`]: { atMost: 1.3 },
    });
  },
};

async function pulse(world: World, isWarmUp: boolean, start: () => Promise<Side>): Promise<Measures> {
  await using loader = await world.theirs('pulse', { milliseconds: 50 });
  await using side = await start();
  await side.tell('count');
  const first = await loader.tell(`go ${firstChanges}`);
  const count = isWarmUp ? firstChanges : changes;
  const answer = isWarmUp ? first : await loader.tell(`go ${changes}`);
  // Changes that arrive during one are answered together with the next.
  const answered = numberOf(answer, 'count');
  if (answered < count / 2) {
    throw new Error(`${answered} of ${count} changes have a status of their own: the machine is too busy`);
  }
  return { p50: numberOf(answer, 'p50'), p99: numberOf(answer, 'p99'), max: numberOf(answer, 'max') };
}
