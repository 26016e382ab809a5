// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** vitest's result for a file; a file that cannot be loaded has failed without a test. */
interface JsonReport {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

export interface RunOptions {
  /** Runs every file instead of ending at the first failure. */
  readonly all: boolean;
  readonly runs: string | undefined;
  /** Milliseconds after which a run is ended. */
  readonly limit: number;
}

/** What stands in place of a file where a run did not end by itself: what is broken makes a test wait for ever. */
const endless = '(the tests do not end)';

/**
 * Runs test files in a copy and resolves with the failing ones. A run that ends without a report shows nothing about the
 * operator, so that it is an error and no failure.
 */
export async function failingTests(
  root: string,
  files: readonly string[],
  { all, runs, limit }: RunOptions,
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const folder = await mkdtemp(join(tmpdir(), 'mutants-report-'));
  const report = join(folder, 'report.json');
  const projects = [
    '--project=unit',
    ...(files.some((file) => file.endsWith('.lab.test.ts')) ? ['--project=lab'] : []),
  ];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const options = [...projects, '--reporter=json', `--outputFile=${report}`, ...(all ? [] : ['--bail=1'])];
  try {
    const child = spawn(process.execPath, [vitest, 'run', `--root=${root}`, ...options, ...files], {
      cwd: root,
      env: { ...process.env, ...(runs !== undefined && { PLAN_RUNS: runs }) },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = `${complaint}${text}`.slice(-2000);
    });
    let isEndless = false;
    const timer = setTimeout(() => {
      isEndless = true;
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    }, limit);
    await once(child, 'close');
    clearTimeout(timer);
    if (isEndless) return [endless];
    const text = await readFile(report, 'utf8').catch(() => undefined);
    if (text === undefined) throw new Error(`vitest ended without a report: ${complaint}`);
    const { testResults } = JSON.parse(text) as JsonReport;
    return testResults
      .filter(({ status }) => status === 'failed')
      .map(({ name }) => relative(root, name))
      .sort();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
