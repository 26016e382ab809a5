// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

export interface ProgramResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an installed npm program in a folder and returns its output. A failing program is a result, not an error. */
export function runInstalled(name: string, args: readonly string[], folder: string): Promise<ProgramResult> {
  return runProgram(join(repositoryRoot, 'node_modules', '.bin', name), args, folder);
}

/** Runs a program in a folder with the present Node. Rejects only if it cannot be started. */
export function runProgram(path: string, args: readonly string[], folder: string): Promise<ProgramResult> {
  const bin = join(repositoryRoot, 'node_modules', '.bin');
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, NO_COLOR: '1' };
  return new Promise((resolve, reject) => {
    execFile(path, [...args], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') {
        reject(new Error(`cannot run ${path}: ${error.message}; run "npm install" and try again`, { cause: error }));
        return;
      }
      resolve({ status: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}
