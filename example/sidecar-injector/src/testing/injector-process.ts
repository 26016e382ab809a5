// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The program as users start it, in a separate process. */
export interface InjectorProcess extends AsyncDisposable {
  /** The text of `/metrics`. */
  metrics(): Promise<string>;
  /** Since it was started. */
  processorTime(): ProcessorTime;
}

/** In milliseconds: its CPU time, and how long it waited for a CPU. */
export interface ProcessorTime {
  readonly used: number;
  readonly waited: number;
}

export interface InjectorProcessOptions {
  readonly kubeconfig: string;
  readonly port: number;
  readonly httpPort: number;
}

/** Starts it and waits until it is ready. */
export async function startInjectorProcess(options: InjectorProcessOptions): Promise<InjectorProcess> {
  const { kubeconfig, port, httpPort } = options;
  const main = join(import.meta.dirname, '..', 'main.ts');
  const flags = [`--kubeconfig=${kubeconfig}`, '--host=127.0.0.1', `--port=${port}`, `--http-port=${httpPort}`];
  const child = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'ignore', 'inherit'] });
  const address = `http://127.0.0.1:${httpPort}`;
  while (!(await isReady(child, address))) await sleep(50);
  return {
    processorTime: () => processorTimeOf(child.pid ?? 0),
    metrics: async () => (await fetch(`${address}/metrics`)).text(),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

async function isReady(child: ChildProcess, address: string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`the injector ended with status ${child.exitCode}`);
  const answer = await fetch(`${address}/readyz`).catch(() => undefined);
  return answer?.ok ?? false;
}

/** The kernel's figures for the main thread of a process, which runs JavaScript. */
function processorTimeOf(pid: number): ProcessorTime {
  const [used, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return { used: Number(used) / 1e6, waited: Number(waited) / 1e6 };
}
