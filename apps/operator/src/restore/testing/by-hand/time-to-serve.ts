// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@etcd-operator/tools';

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** The seconds from the start of etcd on a data directory until it serves. Then the process is stopped. */
export async function secondsToServe(program: string, directory: string): Promise<number> {
  const [client, peer] = [await freePort(), await freePort()];
  const child = spawn(program, [
    ...['--data-dir', directory, '--name', 'default', '--quota-backend-bytes', '8589934592'],
    ...['--listen-client-urls', `http://127.0.0.1:${client}`, '--advertise-client-urls', `http://127.0.0.1:${client}`],
    ...['--listen-peer-urls', `http://127.0.0.1:${peer}`],
  ]);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    return await seconds(() => untilServed(child, `http://127.0.0.1:${client}`));
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Asks often, because etcd does not signal when it begins to serve. */
export async function untilServed(etcd: ChildProcess, client: string, query = ''): Promise<void> {
  while (!(await answers(`${client}/health${query}`))) {
    if (etcd.exitCode !== null) throw new Error(`etcd ended with ${etcd.exitCode}`);
    await sleep(20);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
