// SPDX-License-Identifier: Apache-2.0
import { dirname, join } from 'node:path';
import type { RunResult } from '../../process/run-program.ts';
import { PartError } from '../part.ts';
import type { Verification } from '../recipes/recipe.ts';
import { type BuildContext, type PartContents, runInBuild } from './build-context.ts';

/** A program and its expected output. */
export interface ProgramToVerify {
  readonly name: string;
  readonly verify: Verification;
}

const limitMilliseconds = 60_000;

/**
 * Runs each program once; a part with a program that does not run here, or is the wrong one, never enters the cache.
 */
export async function verifyPrograms(
  context: BuildContext,
  contents: PartContents,
  programs: readonly ProgramToVerify[],
): Promise<void> {
  for (const program of programs) {
    context.task.step(`running ${program.name}`);
    await verify(context, contents, program);
  }
}

async function verify(context: BuildContext, contents: PartContents, program: ProgramToVerify): Promise<void> {
  const { args, prints, environment } = program.verify;
  const command = [program.name, ...args].join(' ');
  const limit = AbortSignal.timeout(limitMilliseconds);
  const signal = AbortSignal.any([context.signal, limit]);
  const [file = '', ...rest] = commandLine(context, contents, program);
  let result: RunResult;
  try {
    result = await runInBuild({ ...context, signal }, file, rest, environment);
  } catch (error) {
    if (context.signal.aborted) throw error;
    throw failed(context, `\`${command}\` did not end within ${limitMilliseconds / 1000} s`, error);
  }
  const output = result.stdout + result.stderr;
  if (result.outcome === 'missing') throw failed(context, `${program.name} does not run here (${result.ending})`);
  if (!output.includes(prints)) {
    throw failed(context, `\`${command}\` should print "${prints}", but printed "${output.trim().slice(0, 200)}"`);
  }
}

/** A dynamically linked program is run with its own loader and libraries, as in an image. */
function commandLine(context: BuildContext, contents: PartContents, program: ProgramToVerify): readonly string[] {
  const file = join(context.output, contents.programs[program.name] ?? program.name);
  const [loader, ...libraries] = Object.values(contents.libraries).map((path) => join(context.output, path));
  if (loader === undefined) return [file, ...program.verify.args];
  const searched = [...new Set(libraries.map((path) => dirname(path)))].join(':');
  return [loader, '--library-path', searched, file, ...program.verify.args];
}

function failed(context: BuildContext, what: string, cause?: unknown): PartError {
  return new PartError('VerificationFailed', `${context.name}: ${what}; nothing of it was kept`, { cause });
}
