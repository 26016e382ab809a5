// SPDX-License-Identifier: Apache-2.0
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './tools/test/longest-first.ts';
import { onOtherEtcds, otherEtcds, projectOn } from './tools/test/other-etcds.ts';
import { onRealControlPlane, realControlPlane } from './tools/test/real-control-plane.ts';

/** Tests lie beside the source they test, in every workspace; test/ holds what belongs to no single one. */
const homes = '{packages,apps,tools,example,test,bench}';
const never = ['**/node_modules/**', '**/dist/**'];
const conformance = ['test/conformance/**/*.test.ts', `${homes}/**/*.conformance.test.ts`];
const long = `${homes}/**/*.long.test.ts`;
const lab = `${homes}/**/*.lab.test.ts`;
const e2e = 'test/e2e/**/*.e2e.test.ts';
const e2eAlone = 'test/e2e/**/*.alone.e2e.test.ts';
const e2eVersion = 'test/e2e/**/*.version.e2e.test.ts';

/** What a test waits for may take long on a busy machine; a limit is there to end a test, never to judge a speed. */
const patiently = { timeout: 60_000 };

/** With it a wait ends before its test does, and says what it waited for. */
const noteDeadline = setup('note-deadline');

/** Real processes are slow to start on a busy machine; a test that hangs still ends. */
const patient = { testTimeout: 300_000, hookTimeout: 300_000, setupFiles: noteDeadline };
const veryPatient = { testTimeout: 600_000, hookTimeout: 600_000, setupFiles: noteDeadline };

/**
 * How many files run side by side. Unit tests use a processor each. Files with real processes wait for most of their time (a third
 * of a processor each), and so more of them run than there are processors.
 */
const processors = availableParallelism();
const workers = { unit: processors, lab: Math.min(2 * processors, 8), conformance: Math.min(processors + 1, 4) };

/**
 * Six kinds of tests, told apart by their names, each run by a command of tools/test. Their order begins with 1: with 0 and a single
 * worker, which is vitest's choice for two processors, vitest would put the unit tests last.
 *
 * - `unit` needs nothing but Node and runs in parallel, in one process for each processor: loading the same modules again for each file
 *   took as long as the tests. A file that leaves something behind fails.
 * - `lab` (`*.lab.test.ts`) starts real processes; it runs after the unit tests.
 * - `conformance` (test/conformance, `*.conformance.test.ts`) compares kube-lab, and what we make, with a real kube-apiserver.
 * - `e2e` (test/e2e, `*.e2e.test.ts`) runs on a real Kubernetes, a few files at a time; after it, `e2e-alone` (`*.alone.e2e.test.ts`),
 *   which does things to the node or the whole cluster that others would feel. `e2e-version` (`*.version.e2e.test.ts`) is run by the
 *   long tier on each version of Kubernetes.
 * - `long` (`*.long.test.ts`) is what takes too long for every change. `real-control-plane` is part of it: tests of `lab` once more,
 *   against a real control plane, and so are `on-etcd-3.5` and `on-etcd-3.7`: tests of `lab` that bring data back, with another etcd.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', {
        include: [`${homes}/**/*.test.ts`],
        exclude: [lab, long, e2e, ...conformance],
        maxWorkers: workers.unit,
        isolate: false,
        setupFiles: setup('shared-process'),
        testTimeout: 90_000,
        hookTimeout: 90_000,
        sequence: { groupOrder: 1 },
      }),
      project('lab', {
        include: [lab],
        exclude: conformance,
        maxWorkers: workers.lab,
        ...patient,
        sequence: { groupOrder: 2 },
      }),
      project('conformance', {
        include: conformance,
        maxWorkers: workers.conformance,
        ...patient,
        sequence: { groupOrder: 3 },
      }),
      project('e2e', {
        include: [e2e],
        exclude: [e2eAlone, e2eVersion],
        maxWorkers: 2,
        ...veryPatient,
        sequence: { groupOrder: 5 },
      }),
      project('e2e-alone', { include: [e2eAlone], maxWorkers: 1, ...veryPatient, sequence: { groupOrder: 6 } }),
      project('e2e-version', { include: [e2eVersion], maxWorkers: 1, ...veryPatient, sequence: { groupOrder: 7 } }),
      project('long', {
        include: [long],
        maxWorkers: 1,
        testTimeout: 3_600_000,
        hookTimeout: 600_000,
        setupFiles: noteDeadline,
        sequence: { groupOrder: 4 },
      }),
      project(realControlPlane, {
        include: [...onRealControlPlane],
        env: { LAB_CONTROL_PLANE: 'real' },
        maxWorkers: 2,
        ...veryPatient,
        sequence: { groupOrder: 8 },
      }),
      ...otherEtcds.map((minor, index) =>
        project(projectOn(minor), {
          include: [...onOtherEtcds],
          env: { LAB_ETCD: minor },
          maxWorkers: 2,
          ...veryPatient,
          sequence: { groupOrder: 9 + index },
        }),
      ),
    ],
  },
});

function setup(name: string): string[] {
  return [fileURLToPath(new URL(`tools/test/testing/${name}.ts`, import.meta.url))];
}

function project(
  name: string,
  options: NonNullable<TestProjectInlineConfiguration['test']>,
): TestProjectInlineConfiguration {
  const exclude = [...never, ...(options.exclude ?? [])];
  // A process for each file unless it is told otherwise, so that what a test leaves behind cannot reach the next.
  return { test: { name, pool: 'forks', expect: { poll: patiently }, ...options, exclude } };
}
