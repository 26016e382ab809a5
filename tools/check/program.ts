// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { type RunResult, runProgram as run } from '../process/run-program.ts';
import { repositoryRoot } from '../repository-root.ts';

const bin = join(repositoryRoot, 'node_modules', '.bin');

/** Runs an installed npm program in a folder and returns its output. A failing program is a result, not an error. */
export function runInstalled(name: string, args: readonly string[], folder: string): Promise<RunResult> {
  return runProgram(join(bin, name), args, folder);
}

/** Runs a program in a folder with the present Node. Rejects only if it cannot be started. */
export async function runProgram(path: string, args: readonly string[], folder: string): Promise<RunResult> {
  const environment = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, NO_COLOR: '1' };
  const result = await run([path, ...args], { cwd: folder, environment });
  if (result.outcome !== 'missing') return result;
  throw new Error(`cannot run ${path}: ${result.ending}; run "npm install" and try again`);
}
