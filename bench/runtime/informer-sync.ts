// SPDX-License-Identifier: Apache-2.0
import type { Benchmark } from '../benchmark.ts';
import { verdict } from '../verdict.ts';
import { inTurns, type Measures, ratiosTo } from './rounds.ts';
import { scaled } from './scale.ts';
import type { Side } from './side.ts';
import { numberOf, World } from './world.ts';

const objects = scaled(10_000);
const rounds = 5;
const ours = 'ours';

/** From a cold informer to the last of 10,000 objects in its handler, with peak and resident memory. */
async function measureSync(world: World, start: () => Promise<Side>): Promise<Measures> {
  const serverCpu = () => world.serverMetric('process_cpu_seconds_total');
  await using side = await start();
  const before = await serverCpu();
  const synced = await side.tell('go');
  const after = await serverCpu();
  const peak = side.peakMegabytes();
  return {
    wall: numberOf(synced, 'wall'),
    CPU: numberOf(synced, 'cpu'),
    'server CPU': after - before,
    'peak memory': peak,
    memory: await side.settledMegabytes(),
  };
}

/** Built-in kinds. client-go reads JSON as we do, and protobuf, for which only Go has types. */
export const podSync: Benchmark = {
  id: 'B1',
  title: `informer sync of ${objects} pods against client-go`,
  async run(report, signal) {
    await using world = await World.open(report, signal);
    await world.load('pods', objects, report);
    const flags = { kind: 'pods', count: objects };
    const medians = await inTurns(
      [
        { name: ours, measure: () => measureSync(world, () => world.ours('informer', flags)) },
        {
          name: 'JSON',
          measure: () => measureSync(world, () => world.theirs('informer', { ...flags, codec: 'json' })),
        },
        {
          name: 'protobuf',
          measure: () => measureSync(world, () => world.theirs('informer', { ...flags, codec: 'protobuf' })),
        },
      ],
      rounds,
      report,
    );
    const ratios = { ...ratiosTo(medians, ours, 'JSON'), ...ratiosTo(medians, ours, 'protobuf') };
    return verdict(ratios, {
      'wall vs JSON': { atMost: 1 },
      'CPU vs JSON': { atMost: 1 },
      'peak memory vs JSON': { atMost: 1 },
    });
  },
};

/** Custom resources, which are JSON for every client. */
export const clusterSync: Benchmark = {
  id: 'B2',
  title: `informer sync of ${objects} EtcdClusters against controller-runtime (typed) and client-go (unstructured)`,
  async run(report, signal) {
    await using world = await World.open(report, signal);
    await world.load('clusters', objects, report);
    const flags = { kind: 'clusters', count: objects };
    const theirs = (mode: string) => ({
      name: mode,
      measure: () => measureSync(world, () => world.theirs('informer', { ...flags, mode })),
    });
    const medians = await inTurns(
      [
        { name: ours, measure: () => measureSync(world, () => world.ours('informer', flags)) },
        theirs('typed'),
        theirs('unstructured'),
      ],
      rounds,
      report,
    );
    const ratios = { ...ratiosTo(medians, ours, 'typed'), ...ratiosTo(medians, ours, 'unstructured') };
    return verdict(ratios, {
      'CPU vs typed': { atMost: 0.8 },
      'CPU vs unstructured': { atMost: 0.6 },
      'wall vs typed': { atMost: 1 },
      'wall vs unstructured': { atMost: 1 },
    });
  },
};
