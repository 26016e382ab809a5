// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The backup operator as a process that can be killed at any moment, and whose memory can be read. */
export class BackupOperatorProcess {
  readonly #child: ChildProcess;
  #log = '';

  constructor(kubeconfig: string) {
    const program = fileURLToPath(new URL('backup-operator-child.ts', import.meta.url));
    this.#child = spawn(process.execPath, [program, kubeconfig], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#log = (this.#log + chunk.toString()).slice(-20_000);
    });
  }

  get log(): string {
    return this.#log;
  }

  /** The most memory it has had so far, in bytes. */
  async peakMemory(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
