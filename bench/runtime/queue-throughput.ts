// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { verdict } from '../verdict.ts';
import { inTurns, type Measures } from './rounds.ts';
import { Side } from './side.ts';
import { buildPeer, numberOf } from './world.ts';

const judged = ['cycle', 'burst', 'deduplicate'] as const;
/**
 * Additions of timers are counted but have no bar: our worker shares the thread, the other side has a separate core.
 */
const workloads = [...judged, 'timers'] as const;
const lateness = 'lateness of timers (p99), milliseconds';
const [ours, clientGo, priority] = ['ours', 'client-go', 'controller-runtime'];

/** The work queue alone, in process: throughput of four workloads, and the delay of 100,000 timers. */
export const queueThroughput: Benchmark = {
  id: 'B5',
  title: 'the work queue against those of client-go and controller-runtime',
  async run(report, signal) {
    const peer = await buildPeer(signal);
    const program = join(import.meta.dirname, 'ours', 'queue.ts');
    const start = (argv: readonly string[]) => Side.start(argv, {}, signal);
    const contestant = (name: string, argv: readonly string[]) => ({ name, measure: () => measure(() => start(argv)) });
    const medians = await inTurns(
      [
        contestant(ours, [process.execPath, '--expose-gc', program]),
        contestant(clientGo, [peer, 'queue']),
        contestant(priority, [peer, 'queue', '--mode=priority']),
      ],
      5,
      report,
    );
    const ratio = (what: string, name: string) =>
      (medians.get(ours)?.[what] ?? Number.NaN) / (medians.get(name)?.[what] ?? Number.NaN);
    const ratios = [clientGo, priority].flatMap((name) => [
      ...workloads.map((what) => [`${what}, operations/s vs ${name}`, ratio(what, name)] as const),
      [`lateness of timers (p99) vs ${name}`, ratio(lateness, name)] as const,
    ]);
    return verdict(
      { ...Object.fromEntries(ratios), [lateness]: medians.get(ours)?.[lateness] ?? Number.NaN },
      {
        ...Object.fromEntries(judged.map((what) => [`${what}, operations/s vs ${clientGo}`, { atLeast: 1 }] as const)),
        ...Object.fromEntries(
          ['cycle', 'burst'].map((what) => [`${what}, operations/s vs ${priority}`, { atLeast: 2 }] as const),
        ),
        [lateness]: { atMost: 5 },
      },
    );
  },
};

async function measure(start: () => Promise<Side>): Promise<Measures> {
  await using side = await start();
  const measures: Record<string, number> = {};
  for (const what of workloads) {
    // The first run of each warms up compilers and allocators.
    await side.tell(what);
    const answer = await side.tell(what);
    measures[what] = numberOf(answer, 'perSecond');
    if (what === 'timers') measures[lateness] = numberOf(answer, 'p99');
  }
  return measures;
}
