// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { memoryOf } from '@etcd-operator/tools';
import { operatorImage } from '@etcd-operator/tools/image';

/** The folder of the image's programs and their modules. */
const home = '/usr/local/lib/etcd-operator/';

/** The operator as shipped: the program and the environment of its image, in a separate process. */
export class OperatorProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
  }

  static async start(kubeconfig: string): Promise<OperatorProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'etcd-operator-fleet-'));
    const { files, environment = [] } = await operatorImage();
    for (const part of files) {
      if (part.kind !== 'file' || !part.path.startsWith(home) || !(part.content instanceof Uint8Array)) continue;
      const place = join(folder, part.path.slice(home.length));
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, part.content);
    }
    const file = join(folder, 'etcd-operator.mjs');
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig, { mode: 0o600 });
    // As the kernel interprets its shebang line.
    const [, ...options] = readFileSync(file, 'utf8').split('\n', 1)[0]?.split(' ') ?? [];
    const args = [
      ...options,
      file,
      '-kubeconfig',
      join(folder, 'kubeconfig'),
      '-listen-addr=127.0.0.1:0',
      '-log-level=warn',
    ];
    const env = {
      ...Object.fromEntries(environment.map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
      MY_POD_NAMESPACE: 'default',
      MY_POD_NAME: 'fleet',
    };
    return new OperatorProcess(spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] }), folder);
  }

  /** Its resident memory, in megabytes. */
  residentMegabytes(): number {
    return memoryOf(this.#child.pid).resident / 1e6;
  }

  /** The peak of it. */
  peakMegabytes(): number {
    return memoryOf(this.#child.pid).peak / 1e6;
  }

  /** Processor time used so far, in seconds. */
  cpuSeconds(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  check(): void {
    if (this.#child.exitCode !== null) throw new Error(`the operator ended with status ${this.#child.exitCode}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGTERM');
      await once(this.#child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
