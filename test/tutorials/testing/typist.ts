// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt, keepRunning, type Running } from '../../../example/network-controller/tutorial/terminal.ts';
import { type Step, stepsOf } from './chapter.ts';
import { fits } from './fits.ts';

/** The environment of a reader: a folder, variables, and how long to wait for changes. */
export interface Desk {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** In milliseconds. */
  readonly patience: number;
}

/** These are read-only: they are repeated until their output matches. */
const looks = /^kubectl (get|describe|logs|exec|auth can-i)\b/;

/** A failure is expected if the printed output begins with one of these. */
const refusal = /^(error:|Error from server|Error:|The \S+ "|resource mapping not found|command terminated)/;

/**
 * Carries out a chapter without additions, and returns the number of commands. Rejects with the difference and its line
 * in the page.
 */
export async function typeChapter(page: string, desk: Desk): Promise<number> {
  await using terminals = new AsyncDisposableStack();
  let program: Running | undefined;
  let typed = 0;
  for (const step of stepsOf(page)) {
    switch (step.kind) {
      case 'save':
        await save(desk, step.file, step.text);
        break;
      case 'start':
        program = terminals.use(keepRunning(step.command, desk));
        break;
      case 'hear':
        await hear(program, step.lines, `${page}:${step.line}`, desk);
        break;
      case 'type':
        await type(step, page, desk);
        typed += 1;
        break;
    }
  }
  return typed;
}

async function save({ folder }: Desk, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), text);
}

type Typing = Extract<Step, { readonly kind: 'type' }>;

async function type({ command, answer, line }: Typing, page: string, desk: Desk): Promise<void> {
  const end = performance.now() + desk.patience;
  for (;;) {
    const { status, text } = await attempt(command, desk);
    const problem = problemOf(status, text, answer);
    if (problem === undefined) return;
    if (!looks.test(command) || performance.now() > end)
      throw new Error(`${page}:${line}: "${command}" ${problem}:\n${text}\nPrinted is:\n${answer.join('\n')}`);
    await sleep(500);
  }
}

function problemOf(status: number, text: string, answer: readonly string[]): string | undefined {
  if (!fits(text, answer)) return answer.length === 0 ? `ended with status ${status}` : 'answered otherwise';
  const isRefusal = answer.some((line) => refusal.test(line));
  return status === 0 || isRefusal ? undefined : `ended with status ${status}`;
}

async function hear(program: Running | undefined, lines: readonly string[], where: string, desk: Desk): Promise<void> {
  const end = performance.now() + desk.patience;
  while (!fits(program?.lines.join('\n') ?? '', lines)) {
    if (performance.now() > end)
      throw new Error(`${where}: never heard\n${lines.join('\n')}\nbut\n${program?.lines.join('\n')}`);
    await sleep(200);
  }
}
