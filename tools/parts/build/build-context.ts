// SPDX-License-Identifier: Apache-2.0

import { type RunResult, runProgram } from '../../process/run-program.ts';
import { buildMark } from './build-directory.ts';
import type { ProgressTask } from './progress.ts';

/** The input of a builder. It writes only below `work` and `output`. */
export interface BuildContext {
  /** Name of the part, for messages. */
  readonly name: string;
  /** Contains the two directories below; identifies the build in child processes. */
  readonly directory: string;
  /** Temporary space; removed afterwards. */
  readonly work: string;
  /** The directory that becomes the part. */
  readonly output: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly task: ProgressTask;
}

/** The result of a builder: paths are relative to the output directory. */
export interface PartContents {
  readonly programs: Readonly<Record<string, string>>;
  readonly libraries: Readonly<Record<string, string>>;
}

/** Runs a program as a child of the build, in its temporary space. */
export function runInBuild(
  context: BuildContext,
  program: string,
  args: readonly string[],
  extraEnvironment: NodeJS.ProcessEnv = {},
): Promise<RunResult> {
  return runProgram([program, ...args], {
    cwd: context.work,
    environment: { ...context.environment, ...extraEnvironment, [buildMark]: context.directory },
    signal: context.signal,
    withChildren: true,
    keptCharacters: 256 * 1024,
  });
}
