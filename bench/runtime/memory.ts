// SPDX-License-Identifier: Apache-2.0
import type { Benchmark } from '../benchmark.ts';
import { verdict } from '../verdict.ts';
import { inTurns, ratiosTo } from './rounds.ts';
import { scaled } from './scale.ts';
import type { Side } from './side.ts';
import { World } from './world.ts';

const few = scaled(1000);
const many = scaled(10_000);
const ours = 'ours';
const theirs = 'client-go, stripped';

/**
 * Memory per cached pod: the slope of a process's memory after garbage collection, between few and many pods, so that
 * the base memory does not count. Neither side keeps managedFields.
 */
export const memoryPerObject: Benchmark = {
  id: 'B4',
  title: `memory per cached pod, between ${few} and ${many}, against client-go`,
  async run(report, signal) {
    await using world = await World.open(report, signal);
    const sides = {
      [ours]: (count: number) => world.ours('informer', { kind: 'pods', count }),
      [theirs]: (count: number) => world.theirs('informer', { kind: 'pods', count, codec: 'json' }),
    };
    const held = async (count: number) => {
      await world.load('pods', count, report);
      return inTurns(
        Object.entries(sides).map(([name, start]) => ({ name, measure: () => measure(() => start(count)) })),
        5,
        report,
      );
    };
    const [before, after] = [await held(few), await held(many)];
    const slopes = new Map(
      Object.keys(sides).map((name) => {
        const difference = (after.get(name)?.['MB'] ?? Number.NaN) - (before.get(name)?.['MB'] ?? Number.NaN);
        return [name, { 'memory per pod': (difference * 1024) / (many - few) }] as const;
      }),
    );
    for (const [name, slope] of slopes) report(`${name}: ${slope['memory per pod'].toFixed(2)} kB a pod`);
    const absolute = { 'kB a pod, ours': slopes.get(ours)?.['memory per pod'] ?? Number.NaN };
    return verdict(
      { ...ratiosTo(slopes, ours, theirs), ...absolute },
      { [`memory per pod vs ${theirs}`]: { atMost: 1 }, 'kB a pod, ours': { atMost: 12 } },
    );
  },
};

async function measure(start: () => Promise<Side>) {
  await using side = await start();
  await side.tell('go');
  return { MB: await side.settledMegabytes() };
}
