// SPDX-License-Identifier: Apache-2.0
import { buildMark } from './build-directory.ts';
import type { ProgressTask } from './progress.ts';
import { type CommandResult, runCommand } from './run-command.ts';

/** What a builder is given. It writes below `work` and `output` only. */
export interface BuildContext {
  /** Name of the part, for messages. */
  readonly name: string;
  /** Holds the two directories below; it names the build towards its children. */
  readonly directory: string;
  /** Scratch space; thrown away afterwards. */
  readonly work: string;
  /** The directory that becomes the part. */
  readonly output: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly task: ProgressTask;
}

/** What a builder has made: paths are relative to the output directory. */
export interface PartContents {
  readonly programs: Readonly<Record<string, string>>;
  readonly libraries: Readonly<Record<string, string>>;
}

/** Runs a program as a child of the build, in its scratch space. */
export function runInBuild(
  context: BuildContext,
  program: string,
  args: readonly string[],
  extraEnvironment: NodeJS.ProcessEnv = {},
): Promise<CommandResult> {
  return runCommand(program, args, {
    cwd: context.work,
    environment: { ...context.environment, ...extraEnvironment, [buildMark]: context.directory },
    signal: context.signal,
  });
}
