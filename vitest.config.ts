// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from 'vitest/config';

/** Where tests live: beside the source they test, in every workspace. */
const homes = '{packages,apps,tools,example,test,bench}';
const never = ['**/node_modules/**', '**/dist/**'];

/**
 * Two kinds of tests in one run. `unit` runs in parallel and needs nothing but Node. `lab` (files `*.lab.test.ts`) starts
 * real processes: one file at a time, after the unit tests, with room for slow machines.
 * `*.long.test.ts` and test/conformance have commands of their own and are not part of `npm test`.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [`${homes}/**/*.test.ts`],
          exclude: [...never, '**/*.lab.test.ts', '**/*.long.test.ts', 'test/**'],
          testTimeout: 10_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'lab',
          include: [`${homes}/**/*.lab.test.ts`],
          exclude: [...never, 'test/conformance/**'],
          maxWorkers: 1,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    // Tests and source run as they stand; nothing is transformed for other run-times.
    pool: 'forks',
    passWithNoTests: true,
  },
});
