// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ScreenReader } from './screen-reader.ts';

const run = promisify(execFile);

export interface TerminalOptions {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
  readonly columns: number;
  readonly rows: number;
}

/** A real terminal with a program, whose keys can be pressed and whose screen can be read. */
export interface Terminal extends AsyncDisposable {
  press(keys: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  screen(): Promise<string>;
}

/** tmux if it is installed, as an independent terminal; otherwise util-linux's `script` and our own. */
export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const hasTmux = await run('tmux', ['-V']).then(
    () => true,
    () => false,
  );
  return hasTmux ? openTmux(options) : openScript(options);
}

/** Waits until the screen matches. Fails with its content. */
export async function sees(terminal: Terminal, pattern: RegExp, milliseconds = 120_000): Promise<string> {
  const end = performance.now() + milliseconds;
  for (;;) {
    const screen = await terminal.screen();
    if (pattern.test(screen)) return screen;
    if (performance.now() > end) throw new Error(`${pattern} is not on the screen:\n${screen}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function openTmux({ command, env, columns, rows }: TerminalOptions): Promise<Terminal> {
  const socket = `playground-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const tmux = (...args: string[]) => run('tmux', ['-L', socket, '-f', '/dev/null', ...args], { env });
  await tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), command);
  await tmux('set-option', '-g', 'remain-on-exit', 'on');
  return {
    press: async (keys) => {
      await tmux('send-keys', '-l', keys);
    },
    resize: async (wide, high) => {
      await tmux('resize-window', '-x', String(wide), '-y', String(high));
    },
    screen: async () => (await tmux('capture-pane', '-p')).stdout,
    [Symbol.asyncDispose]: async () => {
      await tmux('kill-server').catch(() => undefined);
    },
  };
}

/** Also used for the picture, which needs the colours. */
export function openScript({
  command,
  env,
  columns,
  rows,
}: TerminalOptions): Terminal & { readonly reader: ScreenReader; readonly ended: Promise<unknown> } {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-'));
  const device = join(folder, 'device');
  const line = `tty > ${device}; stty cols ${columns} rows ${rows}; ${command}`;
  const child: ChildProcess = spawn('script', ['-qfec', line, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let reader = new ScreenReader(columns, rows);
  const decoder = new TextDecoder();
  child.stdout?.on('data', (data: Buffer) => reader.write(decoder.decode(data, { stream: true })));
  const ended = once(child, 'exit');
  return {
    get reader() {
      return reader;
    },
    ended,
    press: async (keys) => {
      child.stdin?.write(keys);
    },
    resize: async (wide, high) => {
      reader = new ScreenReader(wide, high);
      await run('stty', ['-F', readFileSync(device, 'utf8').trim(), 'cols', String(wide), 'rows', String(high)]);
    },
    screen: async () => reader.text,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
