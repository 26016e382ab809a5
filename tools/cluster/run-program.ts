// SPDX-License-Identifier: Apache-2.0
import { failureOf, type RunOptions, type RunResult, runProgram as run } from '../process/run-program.ts';
import { ClusterError } from './cluster-error.ts';

/** Administration programs are not on every user's PATH. */
export const systemPath = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`;

/**
 * Runs a program of the machine, 240 s long unless told otherwise, with `environment` added to that of this process.
 * Rejects only if it does not exist, or when aborted.
 */
export async function runProgram(argv: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const environment = { ...process.env, PATH: systemPath, ...options.environment };
  const result = await run(argv, { timeoutMilliseconds: 240_000, ...options, environment });
  if (result.outcome === 'missing') throw new ClusterError('CommandFailed', failureOf(argv, result));
  return result;
}

/** The same for a program that must succeed; resolves with its standard output. */
export async function runOrFail(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const result = await runProgram(argv, options);
  if (result.outcome === 'ok') return result.stdout;
  throw new ClusterError('CommandFailed', failureOf(argv, result));
}
