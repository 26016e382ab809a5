// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { runSeed } from './run/run-seed.ts';
import { scriptOf } from './run/script.ts';
import { tellStory } from './run/timeline.ts';

/** Always the same, so that what fails was broken by the change at hand; new ones are run by `npm run test:long -- simulation`. */
const seeds = [3, 9, 10, 30002, 30003, 30009, 30010, 30021];

test.each(seeds)(
  'seed %i: faults, then repair, then no more requests; and the same again, to the byte',
  async (seed) => {
    const outcome = await runSeed(seed);
    expect(outcome.failure && tellStory(outcome, scriptOf(seed))).toBeUndefined();
    const { trace } = await runSeed(seed);
    const differs = trace.findIndex((line, at) => line !== outcome.trace[at]);
    expect([differs, trace[differs], trace.length]).toEqual([-1, undefined, outcome.trace.length]);
  },
);
