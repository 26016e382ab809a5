// SPDX-License-Identifier: Apache-2.0
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, keepRunning } from '../../../example/network-controller/tutorial/terminal.ts';
import type { Desk } from './typist.ts';

const repository = join(import.meta.dirname, '../../..');

/** A reader in the shell of a playground that was started with `npm start -- WORDS`. */
export async function sitDownAtPlayground(...words: readonly string[]): Promise<Desk & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tutorials-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  // The reader's own files are not written to this repository.
  cpSync(join(repository, 'example'), join(folder, 'example'), { recursive: true });
  const place = { folder: repository, env: { ...ownEnvironment(), XDG_RUNTIME_DIR: folder } };
  stack.use(keepRunning(`exec '${process.execPath}' apps/playground/src/main.ts --plain ${words.join(' ')}`, place));
  const env = await shellEnvironment(place);
  const kept = stack.move();
  return { folder, env, patience: 240_000, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function ownEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

/** The environment of the playground's shell, as soon as there is one. */
async function shellEnvironment(place: Pick<Desk, 'folder' | 'env'>): Promise<Readonly<Record<string, string>>> {
  for (let tries = 120; ; tries -= 1) {
    const { status, text } = await attempt(`'${process.execPath}' apps/playground/src/lab.ts shell env`, place);
    if (status === 0)
      return Object.fromEntries(
        text
          .split('\n')
          .flatMap((line) => [/^(\w+)=(.*)$/.exec(line)?.slice(1, 3) ?? []])
          .filter(({ length }) => length === 2),
      );
    if (tries === 0) throw new Error(`the playground has no shell: ${text}`);
  }
}
