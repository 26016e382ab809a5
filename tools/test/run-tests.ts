// SPDX-License-Identifier: Apache-2.0
import { relative } from 'node:path';
import {
  createVitest,
  parseCLI,
  type Reporter,
  type TestModule,
  type TestSpecification,
  type Vitest,
} from 'vitest/node';
import { repositoryRoot } from '../repository-root.ts';
import { QuietReporter } from './quiet-reporter.ts';
import { type FinishedFile, type Tally, tallyLine, tallyOf } from './tally.ts';

/** One run of vitest with some of the projects in vitest.config.ts, one after the other. */
export interface TestRun {
  readonly projects: readonly string[];
  /** The folder with vitest.config.ts. @default the root of this repository */
  readonly root?: string;
  /** The user's arguments: parts of paths, and vitest's own options. */
  readonly args: readonly string[];
  /** Restricts the files further, by their path from the root and the project that runs them. */
  readonly select?: (file: string, project: string) => boolean;
  /** Provides what these files of one project need before any of them runs. Rejects with a sentence if that fails. */
  readonly prepare?: (files: readonly string[], project: string) => Promise<void>;
  /** Gets the results, in addition to the usual reporter. @default none */
  readonly reporters?: readonly Reporter[];
  /** True if it is not an error when there are no tests. @default false */
  readonly allowNone?: boolean;
  /** How long vitest may take to end its workers, in milliseconds. @default a minute */
  readonly patience?: number;
}

/**
 * Runs tests, ends with the line `N passed, N failed`, and sets the exit status. A process that a test left behind can
 * block vitest forever, because it keeps the output of a worker open: then this process ends anyway, with a failure.
 */
export async function runTests(run: TestRun): Promise<void> {
  const { tally, hasEnded } = await attempt(run).catch((error: unknown) => {
    return { tally: couldNotRun(error), hasEnded: true };
  });
  if (!hasEnded)
    process.stderr.write(
      `\na process that a test started has not ended and holds the output: look for it among those without a parent (ps -eo pid,ppid,args), and let its test end it\n`,
    );
  const told = hasEnded ? tally : { ...tally, failed: tally.failed + 1 };
  process.exitCode = told.failed > 0 ? 1 : 0;
  await new Promise((resolve) => process.stdout.write(`\n${tallyLine(told)}\n`, resolve));
  if (!hasEnded) process.exit();
}

async function attempt(run: TestRun): Promise<{ readonly tally: Tally; readonly hasEnded: boolean }> {
  const { projects, root = repositoryRoot, args, reporters = [], patience = 60_000 } = run;
  const { filter, options } = parseCLI(['vitest', 'run', ...args]);
  const usual = options.reporters ?? options.reporter ?? (process.env['CI'] ? new QuietReporter(root) : 'default');
  const told = { reporters: [usual, reporters].flat() };
  const vitest = await createVitest({ ...options, ...told, root, watch: false, project: [...projects] });
  let tally: Tally = { passed: 0, failed: 0 };
  let hasEnded = true;
  try {
    // Notifies the reporters that a run begins; without a watcher it does nothing else.
    await vitest.standalone();
    tally = await runChosen(vitest, run, { filter, root, bail: options.bail ?? 0 });
  } finally {
    hasEnded = await endsInTime(vitest.close(), patience);
  }
  return { tally, hasEnded };
}

/** One project after the other: what takes long to prepare is not waited for by tests that do not need it. */
async function runChosen(
  vitest: Vitest,
  { projects, select, prepare, allowNone = false }: TestRun,
  { filter, root, bail }: { readonly filter: string[]; readonly root: string; readonly bail: number },
): Promise<Tally> {
  const found = await vitest.getRelevantTestSpecifications(filter);
  const chosen = found.filter(({ moduleId, project }) => select?.(relative(root, moduleId), project.name) ?? true);
  if (chosen.length === 0) nothingToRun(filter, allowNone || vitest.config.changed !== undefined);
  const total = { passed: 0, failed: 0 };
  for (const name of projects) {
    const files = chosen.filter(({ project }) => project.name === name);
    if (files.length === 0 || (bail > 0 && total.failed >= bail)) continue;
    const { passed, failed } = await runFiles(vitest, files, filter.length === 0, () =>
      prepare?.(
        files.map(({ moduleId }) => relative(root, moduleId)),
        name,
      ),
    );
    total.passed += passed;
    total.failed += failed;
  }
  return total;
}

/** What cannot be prepared for is one failure, beside the results of what could run. */
async function runFiles(
  vitest: Vitest,
  files: TestSpecification[],
  areAll: boolean,
  prepare: () => Promise<void> | undefined,
): Promise<Tally> {
  try {
    await prepare();
  } catch (error) {
    return couldNotRun(error);
  }
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(files, areAll);
  // Vitest tells of the files of earlier runs, too.
  const ran = testModules.filter(({ project }) => files.some((file) => file.project === project));
  return tallyOf(ran.map(finishedFile), unhandledErrors.length);
}

function couldNotRun(error: unknown): Tally {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  return { passed: 0, failed: 1 };
}

async function endsInTime(ending: Promise<void>, patience: number): Promise<boolean> {
  const given = Promise.withResolvers<false>();
  const timer = setTimeout(() => given.resolve(false), patience);
  const ended = await Promise.race([ending.then(() => true), given.promise]);
  clearTimeout(timer);
  return ended;
}

function nothingToRun(filter: readonly string[], allowNone: boolean): void {
  if (!allowNone) throw new Error(`no test file matches ${filter.join(' ') || 'this run'}: check the path`);
  process.stdout.write('There is nothing to run.\n');
}

function finishedFile(module: TestModule): FinishedFile {
  const tests = [...module.children.allTests()].map((test) => test.result().state);
  return { tests, broken: module.state() === 'failed' };
}
