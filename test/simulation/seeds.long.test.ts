// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { runScript, runSeed } from './run/run-seed.ts';
import { scriptOf } from './run/script.ts';
import { shrink } from './run/shrink.ts';
import { tellStory } from './run/timeline.ts';

/** `SIMULATION_SEEDS=7` repeats one seed, `SIMULATION_SEEDS=1-2000` runs many; otherwise new ones each time. */
const wanted = process.env['SIMULATION_SEEDS'];
const start = Date.now() % 1_000_000_000;
const [first = start, last = wanted === undefined ? start + 999 : first] = (wanted?.split('-') ?? []).map(Number);

test(`seeds ${first} to ${last}: safe after every event, in order after the faults`, async () => {
  const begun = process.cpuUsage();
  let virtualSeconds = 0;
  let lost = 0;
  for (let seed = first; seed <= last; seed++) {
    const outcome = await runSeed(seed);
    virtualSeconds += outcome.virtualSeconds;
    if (outcome.isLost) lost++;
    if (outcome.failure === undefined) continue;
    const { script, outcome: smallest } = await shrink(scriptOf(seed), outcome, runScript);
    expect.fail(tellStory(smallest, script));
  }
  const { user, system } = process.cpuUsage(begun);
  const seconds = (user + system) / 1e6;
  const runs = last - first + 1;
  process.stdout.write(
    `${runs} runs, ${lost} of them with more data lost than anybody can heal: ${Math.round(virtualSeconds / seconds)} virtual seconds ` +
      `per second of processor time, ${Math.round((3600 * runs) / seconds)} runs an hour\n`,
  );
});
