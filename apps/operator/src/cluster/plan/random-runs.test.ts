// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { run, scripts } from './testing/script.ts';

/** Another seed, for looking further: `PLAN_SEED=... npm test -- apps/operator/src/cluster/plan`. */
const seed = Number(process.env['PLAN_SEED'] ?? 6);
const numRuns = Number(process.env['PLAN_RUNS'] ?? 500);

describe('random mishaps and spec changes, then calm: the goal is reached and nothing unsafe happens', () => {
  test.each(['emptyDir', 'claim', 'memory', 'adopted'])('%s', { timeout: 120_000 }, (kind) => {
    fc.assert(
      fc.property(scripts(kind), (script) => {
        expect(['steady', 'held', 'lost']).toContain(run(script));
      }),
      { seed, numRuns },
    );
  });
});
