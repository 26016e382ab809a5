// SPDX-License-Identifier: Apache-2.0
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { runSeeds } from './campaign/seed-workers.ts';

/**
 * `SIMULATION_SEEDS=7` repeats one seed, `SIMULATION_SEEDS=1-10000` runs many; otherwise new ones each time. `SIMULATION_WORKERS` says
 * how many processes run them: one per processor if it is not set.
 */
const wanted = process.env['SIMULATION_SEEDS'];
const start = Date.now() % 1_000_000_000;
const [first = start, last = wanted === undefined ? start + 999 : first] = (wanted?.split('-') ?? []).map(Number);
const workers = Math.min(Number(process.env['SIMULATION_WORKERS'] ?? availableParallelism()), last - first + 1);

const progressEvery = 60_000;
const mostFailures = 5;

/** As long as they take: a limit would only end what can be gone on with. */
const unlimited = 0;

test(`seeds ${first} to ${last}: safe after every event, in order after the faults`, {
  timeout: unlimited,
}, async () => {
  const stories: string[] = [];
  const sum = { runs: 0, lost: 0, virtualSeconds: 0, cpuSeconds: 0 };
  let told = Date.now();
  const tell = (next: number) => {
    const { runs, lost, virtualSeconds, cpuSeconds } = sum;
    const goOn = next > last ? '' : `; to go on from here: SIMULATION_SEEDS=${next}-${last}`;
    say(
      `${runs} runs, ${stories.length} failed, ${lost} with more data lost than anybody can heal: ` +
        `${Math.round(virtualSeconds / cpuSeconds)} virtual seconds per second of processor time, ` +
        `${Math.round((3600 * runs) / cpuSeconds)} runs an hour of it${goOn}`,
    );
    told = Date.now();
  };
  await runSeeds({
    ...{ first, last, workers, mostFailures },
    onReport: ({ isLost, virtualSeconds, cpuSeconds, story }, next) => {
      sum.runs++;
      sum.lost += isLost ? 1 : 0;
      sum.virtualSeconds += virtualSeconds;
      sum.cpuSeconds += cpuSeconds;
      if (story !== undefined) {
        stories.push(story);
        say(story);
      }
      if (next > last || Date.now() - told > progressEvery) tell(next);
    },
  });
  expect(stories.join('\n\n')).toBe('');
});

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
