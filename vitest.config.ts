// SPDX-License-Identifier: Apache-2.0
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** Tests lie beside the source they test, in every workspace; test/ holds what belongs to no single one. */
const homes = '{packages,apps,tools,example,test,bench}';
const never = ['**/node_modules/**', '**/dist/**'];
const conformance = ['test/conformance/**/*.test.ts', `${homes}/**/*.conformance.test.ts`];
const long = `${homes}/**/*.long.test.ts`;
const lab = `${homes}/**/*.lab.test.ts`;
const e2e = 'test/e2e/**/*.e2e.test.ts';
const e2eAlone = 'test/e2e/**/*.alone.e2e.test.ts';

/** What a test waits for may take long on a busy machine; a limit is there to end a test, never to judge a speed. */
const patiently = { timeout: 60_000 };

/** Real processes are slow to start on a busy machine; a test that hangs still ends. */
const patient = { testTimeout: 300_000, hookTimeout: 300_000 };
const veryPatient = { testTimeout: 600_000, hookTimeout: 600_000 };

/**
 * Six kinds of tests, told apart by their names, each run by a command of tools/test:
 *
 * - `unit` needs nothing but Node and runs in parallel.
 * - `lab` (`*.lab.test.ts`) starts real processes; it runs after the unit tests, a few files at a time.
 * - `conformance` (test/conformance, `*.conformance.test.ts`) compares kube-lab, and what we make, with a real kube-apiserver.
 * - `e2e` (test/e2e, `*.e2e.test.ts`) runs on a real Kubernetes, a few files at a time; after it, `e2e-alone` (`*.alone.e2e.test.ts`),
 *   which does things to the node or the whole cluster that others would feel.
 * - `long` (`*.long.test.ts`) is what takes too long for every change.
 */
export default defineConfig({
  test: {
    projects: [
      project('unit', {
        include: [`${homes}/**/*.test.ts`],
        exclude: [lab, long, e2e, ...conformance],
        testTimeout: 90_000,
        hookTimeout: 90_000,
      }),
      project('lab', {
        include: [lab],
        exclude: conformance,
        maxWorkers: 2,
        ...patient,
        sequence: { groupOrder: 1 },
      }),
      project('conformance', { include: conformance, maxWorkers: 1, ...patient, sequence: { groupOrder: 2 } }),
      project('e2e', {
        include: [e2e],
        exclude: [e2eAlone],
        maxWorkers: 2,
        ...veryPatient,
        sequence: { groupOrder: 4 },
      }),
      project('e2e-alone', { include: [e2eAlone], maxWorkers: 1, ...veryPatient, sequence: { groupOrder: 5 } }),
      project('long', {
        include: [long],
        maxWorkers: 1,
        testTimeout: 3_600_000,
        hookTimeout: 600_000,
        sequence: { groupOrder: 3 },
      }),
    ],
  },
});

function project(
  name: string,
  options: NonNullable<TestProjectInlineConfiguration['test']>,
): TestProjectInlineConfiguration {
  const exclude = [...never, ...(options.exclude ?? [])];
  // A process for each file, so that what a test leaves behind cannot reach the next.
  return { test: { name, pool: 'forks', expect: { poll: patiently }, ...options, exclude } };
}
