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

/**
 * Runs test files in a copy and resolves with the failing ones. Without `all` it stops at the first failure. A run that
 * hangs is ended after `limit` milliseconds and counts as a failure.
 */
export async function failingTests(
  root: string,
  files: readonly string[],
  { all, runs, limit }: { readonly all: boolean; readonly runs: string | undefined; readonly limit: number },
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
      stdio: 'ignore',
      detached: true,
    });
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), limit);
    await once(child, 'exit');
    clearTimeout(timer);
    const text = await readFile(report, 'utf8').catch(() => undefined);
    if (text === undefined) return ['(it never ended)'];
    const { testResults } = JSON.parse(text) as JsonReport;
    return testResults
      .filter(({ status }) => status === 'failed')
      .map(({ name }) => relative(root, name))
      .sort();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
