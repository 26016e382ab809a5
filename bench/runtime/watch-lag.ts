// SPDX-License-Identifier: Apache-2.0
import type { Benchmark } from '../benchmark.ts';
import { verdict } from '../verdict.ts';
import { scaled } from './scale.ts';
import type { Side } from './side.ts';
import { numberOf, World } from './world.ts';

const objects = scaled(5000);
const changes = scaled(20_000);

/**
 * All sides watch together while a loader changes pods as fast as the server allows. Latencies are from the sending of a change to
 * the handler; the server's part in them is the same for all.
 */
export const watchLag: Benchmark = {
  id: 'B3',
  title: `${changes} changes of ${objects} pods, watched by us and by client-go at once`,
  async run(report, signal) {
    await using world = await World.open(report, signal);
    await world.load('pods', objects, report);
    const flags = { kind: 'pods', count: objects };
    await using ours = await world.ours('informer', flags);
    await using json = await world.theirs('informer', { ...flags, codec: 'json' });
    await using protobuf = await world.theirs('informer', { ...flags, codec: 'protobuf' });
    await using loader = await world.theirs('churn', { ...flags, concurrency: 16 });
    const sides: Readonly<Record<string, Side>> = { ours, JSON: json, protobuf };
    for (const side of Object.values(sides)) await side.tell('go');
    await loader.tell('go 2000');
    for (const side of Object.values(sides)) await side.tell('watch');
    const { wall = 0 } = await loader.tell(`go ${changes}`);
    report(`${(changes / wall).toFixed(0)} changes a second`);
    return verdict(await compare(sides, report), {
      'p99 vs JSON': { atMost: 1.5 },
      'p99 vs protobuf': { atMost: 1.5 },
      'CPU vs JSON': { atMost: 0.7 },
      'CPU vs protobuf': { atMost: 1.5 },
    });
  },
};

async function compare(sides: Readonly<Record<string, Side>>, report: (line: string) => void) {
  const seen = new Map<string, Readonly<Record<string, number>>>();
  for (const [name, side] of Object.entries(sides)) {
    const answer = await complete(side);
    seen.set(name, answer);
    const latency = ['p50', 'p99', 'max'].map((which) => `${which} ${numberOf(answer, which).toFixed(1)} ms`);
    report(`${name}: ${latency.join(', ')}, CPU ${numberOf(answer, 'cpu').toFixed(2)} s`);
  }
  const ratios: Record<string, number> = {};
  for (const peer of ['JSON', 'protobuf']) {
    for (const [measure, title] of [
      ['p50', 'p50'],
      ['p99', 'p99'],
      ['cpu', 'CPU'],
    ] as const) {
      ratios[`${title} vs ${peer}`] =
        (seen.get('ours')?.[measure] ?? Number.NaN) / (seen.get(peer)?.[measure] ?? Number.NaN);
    }
  }
  return ratios;
}

/** A side that lags still gets everything; one that lost something fails. */
async function complete(side: Side) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await side.tell('watched');
    if (numberOf(answer, 'count') >= changes) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('a side did not hear of all changes within 10 s');
}
