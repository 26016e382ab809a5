// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { type BuildContext, runInBuild } from './build-context.ts';
import { PartError } from './part.ts';
import type { Verification } from './recipe.ts';

/** A program of a freshly made part, and how to tell that it is the right one. */
export interface ProgramToVerify {
  readonly name: string;
  /** Relative to the output directory. */
  readonly path: string;
  readonly verify: Verification;
}

const limitMilliseconds = 60_000;

/** Runs each program once; a part whose programs do not run here, or are not what they should be, never enters the cache. */
export async function verifyPrograms(context: BuildContext, programs: readonly ProgramToVerify[]): Promise<void> {
  const limit = AbortSignal.timeout(limitMilliseconds);
  const signal = context.signal ? AbortSignal.any([context.signal, limit]) : limit;
  for (const program of programs) {
    context.task.step(`running ${program.name}`);
    const { args, prints } = program.verify;
    const command = [program.name, ...args].join(' ');
    const result = await runInBuild({ ...context, signal }, join(context.output, program.path), args).catch((error) => {
      if (context.signal?.aborted) throw error;
      throw failed(context, `\`${command}\` did not end within ${limitMilliseconds / 1000} s`, error);
    });
    const output = result.stdout + result.stderr;
    if (result.outcome === 'missing') throw failed(context, `${program.name} does not run here (${result.status})`);
    if (!output.includes(prints)) {
      throw failed(context, `\`${command}\` should print "${prints}", but printed "${output.trim().slice(0, 200)}"`);
    }
  }
}

function failed(context: BuildContext, what: string, cause?: unknown): PartError {
  return new PartError('VerificationFailed', `${context.name}: ${what}; nothing of it was kept`, { cause });
}
