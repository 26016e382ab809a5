// SPDX-License-Identifier: Apache-2.0
import type { Benchmark } from '../benchmark.ts';
import { median, verdict } from '../verdict.ts';
import { startMeter } from './load-meter.ts';
import type { Measures } from './rounds.ts';
import { scaled } from './scale.ts';
import type { Side } from './side.ts';
import { numberOf, World } from './world.ts';

const objects = scaled(5000);
const rounds = 5;
/** 20,000 in all. */
const changes = scaled(4000);
const peers = ['JSON', 'protobuf'];

/**
 * All sides watch together while a loader changes pods as fast as the server allows. Latency is measured from sending a
 * change to the handler; the server's part is the same for all. Each round is measured separately; a side that falls
 * behind is slower in the last one than in the first.
 */
export const watchLag: Benchmark = {
  id: 'B3',
  title: `${changes * rounds} changes of ${objects} pods, watched by us and by client-go at once`,
  async run(report, signal) {
    await using world = await World.open(report, signal);
    await world.load('pods', objects, report);
    const flags = { kind: 'pods', count: objects };
    await using ours = await world.ours('informer', flags);
    await using json = await world.theirs('informer', { ...flags, codec: 'json' });
    await using protobuf = await world.theirs('informer', { ...flags, codec: 'protobuf' });
    await using loader = await world.theirs('churn', { ...flags, concurrency: 16 });
    const sides = new Map<string, Side>(Object.entries({ ours, JSON: json, protobuf }));
    for (const side of sides.values()) await side.tell('go');
    // For compilers and connections.
    await loader.tell('go 2000');
    const seen = new Map<string, Measures[]>([...sides.keys()].map((name) => [name, []]));
    for (let round = 1; round <= rounds; round++) {
      await churn(sides, loader, seen, (line) => report(`round ${round}, ${line}`));
    }
    return verdict(ratiosOf(seen), {
      'p99 vs JSON': { atMost: 1.5 },
      'p99 vs protobuf': { atMost: 1.5 },
      'CPU vs JSON': { atMost: 0.7 },
      'CPU vs protobuf': { atMost: 1.5 },
      'lag of the last round over that of the first': { atMost: 2 },
    });
  },
};

async function churn(
  sides: ReadonlyMap<string, Side>,
  loader: Side,
  seen: ReadonlyMap<string, Measures[]>,
  report: (line: string) => void,
): Promise<void> {
  const stop = await startMeter();
  for (const side of sides.values()) await side.tell('watch');
  const { wall = 0 } = await loader.tell(`go ${changes}`);
  report(`${(changes / wall).toFixed(0)} changes a second, others had ${(await stop()).toFixed(1)} cores in use`);
  for (const [name, side] of sides) {
    const answer = await complete(side);
    seen.get(name)?.push(answer);
    const latency = ['p50', 'p99', 'max'].map((which) => `${which} ${numberOf(answer, which).toFixed(1)} ms`);
    report(`${name}: ${latency.join(', ')}, CPU ${numberOf(answer, 'cpu').toFixed(2)} s`);
  }
}

function ratiosOf(seen: ReadonlyMap<string, readonly Measures[]>): Readonly<Record<string, number>> {
  const middle = (name: string, what: string) =>
    median((seen.get(name) ?? []).map((measures) => measures[what] ?? Number.NaN));
  const entries = peers.flatMap((peer) =>
    ['p50', 'p99', 'max', 'cpu'].map((what) => {
      const title = `${what === 'cpu' ? 'CPU' : what} vs ${peer}`;
      return [title, middle('ours', what) / middle(peer, what)] as const;
    }),
  );
  const all = seen.get('ours') ?? [];
  const growth = (all.at(-1)?.['p50'] ?? Number.NaN) / (all[0]?.['p50'] ?? Number.NaN);
  return { ...Object.fromEntries(entries), 'lag of the last round over that of the first': growth };
}

/** A side that lags still gets everything; a side that lost something fails. */
async function complete(side: Side): Promise<Measures> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const answer = await side.tell('watched');
    if (numberOf(answer, 'count') >= changes) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('a side did not hear of all changes within 30 s');
}
