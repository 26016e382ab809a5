// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { constants } from 'node:os';
import type { ExecStreamParams, StreamName } from '../../agent-calls.ts';
import { tryCommand } from '../../run-command.ts';
import { RuntimeError } from '../../runtime-error.ts';
import { findProgram, type SystemTools } from '../../system-tools.ts';
import type { RunningContainer } from './container.ts';
import { quote } from './container-script.ts';
import { enterArguments, killEntered } from './exec.ts';

const streamNumbers: Readonly<Record<StreamName, number>> = { stdin: 0, stdout: 1, stderr: 2 };

/** Commands that run inside containers with their streams connected to the visible process. */
export class ExecStreams {
  readonly #tools: SystemTools;
  readonly #running = new Map<string, ChildProcess>();

  constructor(tools: SystemTools) {
    this.#tools = tools;
  }

  /** Runs the command to its end and resolves with the exit code. Each stream uses one connection to a unix socket. */
  async run(container: RunningContainer, params: ExecStreamParams): Promise<number> {
    const child = this.#spawn(container, params);
    this.#running.set(params.execId, child);
    try {
      const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
      const sockets = await Promise.all(params.streams.map((name) => open(params.path, name)));
      const finished = params.streams.map((name, index) => join(child, name, sockets[index]));
      const [code, signal] = await exit;
      await Promise.all(finished);
      return code ?? 128 + (signal ? constants.signals[signal] : 0);
    } finally {
      this.#running.delete(params.execId);
    }
  }

  async kill(execId: string): Promise<void> {
    const child = this.#running.get(execId);
    if (child) await killTree(child);
  }

  /** Sets the size of a command's terminal; the kernel notifies the program. */
  async resize(execId: string, width: number, height: number): Promise<void> {
    const child = this.#running.get(execId);
    const stty = findProgram('stty', process.env['PATH'] ?? '');
    const inner = child?.pid === undefined ? undefined : await firstChild(child.pid);
    const terminal = await readlink(`/proc/${inner}/fd/0`).catch(() => '');
    if (!stty || !terminal.startsWith('/dev/pts/')) return;
    await tryCommand(stty, ['-F', terminal, 'rows', String(height), 'cols', String(width)]);
  }

  #spawn(container: RunningContainer, { argv, tty, streams }: ExecStreamParams): ChildProcess {
    const enter = enterArguments(container, argv);
    const stdin = streams.includes('stdin') ? 'pipe' : 'ignore';
    if (!tty) return spawn(this.#tools.nsenter, enter, { env: container.env, stdio: [stdin, 'pipe', 'pipe'] });
    const script = findProgram('script', process.env['PATH'] ?? '');
    if (!script) {
      throw new RuntimeError(
        'Unsupported',
        'a terminal needs the program script; install bsdutils (Debian) or util-linux-script',
      );
    }
    const command = ['exec', this.#tools.nsenter, ...enter].map(quote).join(' ');
    const args = ['-q', '-e', '-c', command.replace(/^'exec'/, 'exec'), '/dev/null'];
    const env = { TERM: 'xterm', ...container.env, SHELL: this.#tools.sh };
    return spawn(script, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  }
}

/** Opens the connection of a stream. The first byte says which stream it is. */
async function open(path: string, name: StreamName): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true });
  await once(socket, 'connect');
  socket.write(Buffer.from([streamNumbers[name]]));
  return socket;
}

/** Resolves when an output has been forwarded completely. Input is not awaited. */
async function join(child: ChildProcess, name: StreamName, socket: Socket | undefined): Promise<void> {
  if (!socket) return;
  socket.on('error', () => socket.destroy());
  if (name === 'stdin') {
    child.stdin?.on('error', () => undefined);
    if (child.stdin) socket.pipe(child.stdin);
    child.once('exit', () => socket.destroy());
    return;
  }
  const output = child[name];
  if (!output) {
    socket.end();
    return;
  }
  output.pipe(socket);
  await Promise.race([once(output, 'close'), once(socket, 'close')]);
  socket.end();
}

/**
 * Ends a command. With a terminal, the command is not a child of this process but a descendant; descendants are ended
 * first.
 */
async function killTree(child: ChildProcess): Promise<void> {
  const inner = await firstChild(child.pid ?? 0);
  const innermost = inner && (await firstChild(inner));
  for (const pid of [innermost, inner]) {
    try {
      if (pid) process.kill(pid, 'SIGKILL');
    } catch {
      // Nothing to do: the process has ended meanwhile.
    }
  }
  await killEntered(child);
}

async function firstChild(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const [first] = text.split(' ').filter((part) => part !== '');
  return first === undefined ? undefined : Number(first);
}
