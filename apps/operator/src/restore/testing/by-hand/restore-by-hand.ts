// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensurePart, freePort } from '@etcd-operator/tools';
import type { BlobStore } from '@operator-parts/blob';

const run = promisify(execFile);

const downloader = fileURLToPath(new URL('download-by-hand.ts', import.meta.url));

/** The seconds that each step of a restore without an operator takes. */
export interface ByHand {
  /** Download from the store into a file. */
  readonly download: number;
  /** `etcdutl snapshot restore` of that file. */
  readonly tool: number;
  /** How much longer etcd takes to start with that data than with no data. */
  readonly open: number;
}

/** Downloads, restores and starts in a folder, one step after the other, and deletes all files afterwards. */
export async function restoreByHand(store: BlobStore, key: string, directory: string): Promise<ByHand> {
  const { programs } = await ensurePart('etcd@3.6', { fromPath: false });
  const file = join(directory, 'by-hand.db');
  const data = join(directory, 'by-hand');
  const empty = join(directory, 'by-hand-empty');
  try {
    const download = await seconds(() => downloadTo(file, store, key));
    const flags = ['--data-dir', data, '--bump-revision=1000000000', '--mark-compacted'];
    const tool = await seconds(() => run(programs['etcdutl'] ?? '', ['snapshot', 'restore', file, ...flags]));
    const etcd = programs['etcd'] ?? '';
    const opening = (await secondsToServe(etcd, data)) - (await secondsToServe(etcd, empty));
    return { download, tool, open: Math.max(0, opening) };
  } finally {
    for (const path of [file, data, empty]) await rm(path, { recursive: true, force: true });
  }
}

/** In a separate process: this process also manages the whole lab, which a download by hand would not. */
export async function downloadTo(file: string, store: BlobStore, key: string): Promise<void> {
  const presigned = await store.presign(key, { expiresIn: 300 });
  if (!presigned) throw new Error(`${store.location} does not presign`);
  const child = spawn(process.execPath, [downloader, file], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  child.stdin.end(presigned.url);
  const code = await new Promise((done) => child.once('exit', done));
  if (code !== 0) throw new Error(`the download ended with ${code}`);
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

async function secondsToServe(program: string, directory: string): Promise<number> {
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
export async function untilServed(etcd: ChildProcess, client: string): Promise<void> {
  while (!(await answers(`${client}/health`))) {
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
