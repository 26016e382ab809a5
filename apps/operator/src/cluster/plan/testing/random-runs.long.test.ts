// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kinds, run, scripts } from './script.ts';

/** Runs with a new seed each time what the normal tests run with one seed, for about an hour. A failure shows its seed. */
const seed = Number(process.env['PLAN_SEED'] ?? Date.now() % 1_000_000_000);
const numRuns = Number(process.env['PLAN_RUNS'] ?? 50_000);

describe('random faults and spec changes, by the ten thousand', () => {
  test.each(kinds)('%s', (kind) => {
    fc.assert(
      fc.property(scripts(kind), (script) => {
        expect(['steady', 'held', 'lost']).toContain(run(script));
      }),
      { seed, numRuns },
    );
  });
});
