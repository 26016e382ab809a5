// SPDX-License-Identifier: Apache-2.0
import { runScript, runSeed } from '../run/run-seed.ts';
import { scriptOf } from '../run/script.ts';
import { shrink } from '../run/shrink.ts';
import { tellStory } from '../run/timeline.ts';
import type { SeedReport } from './seed-workers.ts';

/** A process that runs the seeds that it is sent, one after the other, and tells of each how it went. */
process.on('message', (seed: number) => {
  // A report that cannot be made ends the process, which is noticed.
  void answer(seed);
});

async function answer(seed: number): Promise<void> {
  process.send?.(await report(seed));
}

async function report(seed: number): Promise<SeedReport> {
  const begun = process.cpuUsage();
  const outcome = await runSeed(seed);
  const { user, system } = process.cpuUsage(begun);
  const { isLost, virtualSeconds, failure } = outcome;
  const report = { seed, isLost, virtualSeconds, cpuSeconds: (user + system) / 1e6 };
  if (failure === undefined) return { ...report, story: undefined };
  const { script, outcome: smallest } = await shrink(scriptOf(seed), outcome, runScript);
  return { ...report, story: tellStory(smallest, script) };
}
