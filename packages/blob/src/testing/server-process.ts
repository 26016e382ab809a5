// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '@etcd-operator/tools';

/** How a test server is started. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** True if it is ready. Called repeatedly; an error means no. */
  readonly isUp: () => Promise<boolean>;
}

/** A real server on loopback with its own directory; both are removed after the test. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #directory: string;
  #log = '';

  private constructor(child: ChildProcess, directory: string) {
    this.#child = child;
    this.#directory = directory;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#log = (this.#log + chunk.toString()).slice(-20_000);
      });
    }
  }

  /** Starts a server. Its command is created once port and directory are known. */
  static async start(command: (port: number, directory: string) => ServerCommand): Promise<ServerProcess> {
    const directory = await mkdtemp(join(tmpdir(), 'blob-server-'));
    const { program, args, environment, isUp } = command(await freePort(), directory);
    const child = spawn(program, args, {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Programs of npm packages run on the Node that runs the tests.
      env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: directory, ...environment },
    });
    const server = new ServerProcess(child, directory);
    await server.#waitFor(isUp);
    return server;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 3 });
  }

  async #waitFor(isUp: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 60_000;
    while (performance.now() < deadline && this.#child.exitCode === null) {
      if (await isUp().catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await this.stop();
    throw new Error(`the server did not come up:\n${this.#log}`);
  }
}

/** True if something listens on this port. */
export async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}
