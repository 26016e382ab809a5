// SPDX-License-Identifier: Apache-2.0
import { relative } from 'node:path';
import { createVitest, parseCLI, type Reporter, type TestModule } from 'vitest/node';
import { repositoryRoot } from '../repository-root.ts';
import { type FinishedFile, type Tally, tallyLine, tallyOf } from './tally.ts';

/** One run of vitest over some of the projects in vitest.config.ts. */
export interface TestRun {
  readonly projects: readonly string[];
  /** The folder with vitest.config.ts. @default the root of this repository */
  readonly root?: string;
  /** What a person typed: parts of paths, and vitest's own options. */
  readonly args: readonly string[];
  /** Narrows the files further, by their path from the root. */
  readonly select?: (file: string) => boolean;
  /** Makes sure of what these files need before any of them runs. Rejects with a sentence if that cannot be had. */
  readonly prepare?: (files: readonly string[]) => Promise<void>;
  /** Told of the results, besides the usual one. @default none */
  readonly reporters?: readonly Reporter[];
  /** Is it fine if there is nothing to run? @default false */
  readonly allowNone?: boolean;
}

/** Runs tests, ends with the line `N passed, N failed`, and sets the exit status. */
export async function runTests(run: TestRun): Promise<void> {
  const tally = await attempt(run).catch((error: unknown) => {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    return { passed: 0, failed: 1 };
  });
  process.stdout.write(`\n${tallyLine(tally)}\n`);
  process.exitCode = tally.failed > 0 ? 1 : 0;
}

async function attempt({
  projects,
  root = repositoryRoot,
  args,
  select,
  prepare,
  reporters = [],
  allowNone = false,
}: TestRun): Promise<Tally> {
  const { filter, options } = parseCLI(['vitest', 'run', ...args]);
  const usual = options.reporters ?? options.reporter ?? 'default';
  const told = { reporters: [usual, reporters].flat() };
  const vitest = await createVitest({ ...options, ...told, root, watch: false, project: [...projects] });
  try {
    // Tells the reporters that a run begins; without a watcher it does nothing else.
    await vitest.standalone();
    const found = await vitest.globTestSpecifications(filter);
    const chosen = found.filter(({ moduleId }) => select?.(relative(root, moduleId)) ?? true);
    if (chosen.length === 0) return nothingToRun(filter, allowNone);
    await prepare?.(chosen.map(({ moduleId }) => relative(root, moduleId)));
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen, filter.length === 0);
    return tallyOf(testModules.map(finishedFile), unhandledErrors.length);
  } finally {
    await vitest.close();
  }
}

function nothingToRun(filter: readonly string[], allowNone: boolean): Tally {
  if (!allowNone) throw new Error(`no test file matches ${filter.join(' ') || 'this run'}: check the path`);
  process.stdout.write('There is nothing to run.\n');
  return { passed: 0, failed: 0 };
}

function finishedFile(module: TestModule): FinishedFile {
  const tests = [...module.children.allTests()].map((test) => test.result().state);
  return { tests, broken: module.state() === 'failed' };
}
