// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { verdict } from '../verdict.ts';
import { inTurns, type Measures } from './rounds.ts';
import { Side } from './side.ts';
import { buildPeer, numberOf } from './world.ts';

const workloads = ['cycle', 'burst', 'deduplicate'] as const;
const [ours, clientGo, priority] = ['ours', 'client-go', 'controller-runtime'];

/** The work queue alone, in process: throughput of three workloads, and how late 100,000 timers are. */
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
      [`lateness of timers (p99) vs ${name}`, ratio('timers', name)] as const,
    ]);
    return verdict(
      Object.fromEntries(ratios),
      Object.fromEntries([
        ...workloads.map((what) => [`${what}, operations/s vs ${clientGo}`, { atLeast: 1 }] as const),
        [`lateness of timers (p99) vs ${clientGo}`, { atMost: 1 }] as const,
      ]),
    );
  },
};

async function measure(start: () => Promise<Side>): Promise<Measures> {
  await using side = await start();
  const measures: Record<string, number> = {};
  for (const what of workloads) {
    // The first run of each is for compilers and allocators.
    await side.tell(what);
    measures[what] = numberOf(await side.tell(what), 'perSecond');
  }
  await side.tell('timers');
  measures['timers'] = numberOf(await side.tell('timers'), 'p99');
  return measures;
}
