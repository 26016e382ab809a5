// SPDX-License-Identifier: Apache-2.0
import { execFile, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensurePart } from '@etcd-operator/tools';
import type { BlobStore } from '@operator-parts/blob';
import { secondsToGrow } from './grow-by-hand.ts';
import { seconds, secondsToServe } from './time-to-serve.ts';

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
  /** How much longer two members take to join the first one with that data than with no data; 0 unless `size` is 3. */
  readonly join: number;
}

/** Downloads, restores and starts in a folder, one step after the other, and deletes all files afterwards. */
export async function restoreByHand(store: BlobStore, key: string, directory: string, size: number): Promise<ByHand> {
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
    const joining = size === 3 ? (await secondsToGrow(etcd, data)) - (await secondsToGrow(etcd, empty)) : 0;
    return { download, tool, open: Math.max(0, opening), join: Math.max(0, joining) };
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
