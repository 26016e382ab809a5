// SPDX-License-Identifier: Apache-2.0
import type { Benchmark } from '../benchmark.ts';
import { verdict } from '../verdict.ts';
import { inTurns, type Measures, ratiosTo } from './rounds.ts';
import { scaled } from './scale.ts';
import type { Side } from './side.ts';
import { numberOf, World } from './world.ts';

const objects = scaled(1000);
const theirs = 'controller-runtime';
const workers = [10, 50, 1];
const rounds = 5;

/** 1000 EtcdClusters change at once; each is reconciled with two reads from caches and one apply of its status. */
export const reconcileStorm: Benchmark = {
  id: 'B6',
  title: `${objects} objects change at once, against controller-runtime`,
  async run(report, signal) {
    await using world = await World.open(report, signal);
    await world.load('clusters', objects, report);
    await world.addSettings();
    const ratios: Record<string, number> = {};
    for (const concurrency of workers) {
      const contestants = [
        { name: 'ours', measure: () => storm(world, () => world.ours('controller', { concurrency })) },
        { name: theirs, measure: () => storm(world, () => world.theirs('controller', { concurrency })) },
      ];
      const medians = await inTurns(contestants, rounds, (line) => report(`${concurrency} workers, ${line}`));
      for (const [what, ratio] of Object.entries(ratiosTo(medians, 'ours', theirs))) {
        if (what.startsWith('writes')) continue;
        ratios[`${what}, ${concurrency} workers`] = ratio;
      }
      ratios[`writes per object, ${concurrency} workers`] = medians.get('ours')?.['writes per object'] ?? Number.NaN;
    }
    return verdict(
      ratios,
      Object.fromEntries([
        ...workers.map((count) => [`wall vs ${theirs}, ${count} workers`, { atMost: 1.1 }] as const),
        ...workers.map((count) => [`writes per object, ${count} workers`, { atMost: 1 }] as const),
      ]),
    );
  },
};

async function storm(world: World, start: () => Promise<Side>): Promise<Measures> {
  await using loader = await world.theirs('storm', { count: objects, concurrency: 32 });
  await using side = await start();
  const before = await side.tell('count');
  const requested = () =>
    world.serverMetric('apiserver_request_total', /resource="etcdclusters".*subresource="status"/);
  const requests = await requested();
  const { wall = Number.NaN } = await loader.tell('go');
  const after = await side.tell('count');
  return {
    wall,
    'CPU per reconcile': (numberOf(after, 'cpu') - numberOf(before, 'cpu')) / objects,
    'writes per object': ((await requested()) - requests) / objects,
  };
}
