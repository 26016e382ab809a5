// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryOf } from '@etcd-operator/tools';
import { buildPrograms, operatorImage } from '@etcd-operator/tools/image';

/** The arguments and the environment for Node. */
export interface ProgramStart {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const source = fileURLToPath(new URL('backup-operator-child.ts', import.meta.url));

/** The program as in the image: bundled, with the options and the environment that the image sets. It is written to `folder`. */
export async function shippedBackupOperator(folder: string): Promise<ProgramStart> {
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  const name = 'backup-operator-child';
  await buildPrograms([{ name, entry: source }], { root, out: folder });
  const { files, environment = [] } = await operatorImage();
  const program = files.find(({ path }) => path.endsWith('/etcd-backup-operator.mjs'));
  if (program?.kind !== 'file' || !(program.content instanceof Uint8Array)) {
    throw new Error('the image has no etcd-backup-operator.mjs');
  }
  const [firstLine = ''] = Buffer.from(program.content).toString().split('\n', 1);
  const env = Object.fromEntries(environment.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
  return { args: [...firstLine.split(' ').slice(1), join(folder, `${name}.mjs`)], env };
}

/** The backup operator as a process that a test can kill at any moment, and whose memory it can measure. */
export class BackupOperatorProcess {
  readonly #child: ChildProcess;
  #log = '';

  /** @param how how to start the operator: from its sources, or in the way that `shippedBackupOperator` returns */
  constructor(kubeconfig: string, how: ProgramStart = { args: [source], env: process.env }) {
    const args = [...how.args, kubeconfig];
    this.#child = spawn(process.execPath, args, { env: how.env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#log = (this.#log + chunk.toString()).slice(-20_000);
    });
  }

  get log(): string {
    return this.#log;
  }

  /** Its peak memory so far, in bytes. */
  peakMemory(): number {
    return memoryOf(this.#child.pid).peak;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
