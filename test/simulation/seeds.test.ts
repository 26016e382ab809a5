// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { runSeed } from './run/run-seed.ts';
import { scriptOf } from './run/script.ts';
import { tellStory } from './run/timeline.ts';

/** Always the same, so that what fails was broken by the change at hand; new ones are run by `npm run test:long -- simulation`. */
const seeds = [1, 3, 4, 5, 9, 10, 11, 102];

test.each(seeds)('seed %i: faults, then order, then silence', async (seed) => {
  const outcome = await runSeed(seed);
  expect(outcome.failure && tellStory(outcome, scriptOf(seed))).toBeUndefined();
});
