// SPDX-License-Identifier: Apache-2.0
import { execFile, spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePart, freePort } from '@etcd-operator/tools';
import type { BlobStore } from '@operator-parts/blob';
import { downloadTo } from './restore-by-hand.ts';
import { seconds, untilServed } from './time-to-serve.ts';

const run = promisify(execFile);

/**
 * The seconds that this machine takes for three members side by side. No operator can be faster if each member gets its data from the store
 * or from a file, and none from another member.
 */
export interface ThreeByHand {
  /** Three copies of the downloaded file, each on the disk. */
  readonly copies: number;
  /** Three downloads at once. */
  readonly downloads: number;
  /** `etcdutl snapshot restore` of all three at once, with one list of three members. */
  readonly tools: number;
  /** From the start of three processes on that data until all of them serve. */
  readonly starts: number;
}

interface Member {
  readonly name: string;
  readonly file: string;
  readonly data: string;
  readonly client: string;
  readonly peer: string;
}

/** Deletes its files from the folder afterwards. */
export async function threeByHand(store: BlobStore, key: string, directory: string): Promise<ThreeByHand> {
  const { programs } = await ensurePart('etcd@3.6', { fromPath: false });
  const folder = join(directory, 'three-by-hand');
  await mkdir(folder);
  const members = await Promise.all(['a', 'b', 'c'].map((name) => memberIn(folder, name)));
  const each = (work: (member: Member) => Promise<unknown>) => seconds(() => Promise.all(members.map(work)));
  try {
    const downloads = await each(({ file }) => downloadTo(file, store, key));
    const cluster = members.map(({ name, peer }) => `${name}=${peer}`).join();
    const tools = await each(({ name, file, data, peer }) =>
      run(programs['etcdutl'] ?? '', [
        ...['snapshot', 'restore', file, `--data-dir=${data}`, `--name=${name}`, `--initial-cluster=${cluster}`],
        ...[`--initial-advertise-peer-urls=${peer}`, '--bump-revision=1000000000', '--mark-compacted'],
        '--skip-hash-check',
      ]),
    );
    const starts = await startAll(programs['etcd'] ?? '', members);
    await run('sync');
    const [{ file: source } = { file: '' }] = members;
    const copies = await each(({ name }) => run('dd', [`if=${source}`, `of=${folder}/${name}`, 'bs=1M', 'conv=fsync']));
    return { copies, downloads, tools, starts };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function memberIn(folder: string, name: string): Promise<Member> {
  const [client, peer] = [await freePort(), await freePort()];
  const address = (port: number) => `http://127.0.0.1:${port}`;
  const [file, data] = [join(folder, `${name}.db`), join(folder, `${name}.etcd`)];
  return { name, file, data, client: address(client), peer: address(peer) };
}

async function startAll(program: string, members: readonly Member[]): Promise<number> {
  const stop = new AbortController();
  const processes = members.map(({ name, data, client, peer }) => {
    const child = spawn(
      program,
      [
        ...['--data-dir', data, '--name', name, '--quota-backend-bytes', '8589934592', '--listen-peer-urls', peer],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ],
      { stdio: 'ignore', signal: stop.signal, killSignal: 'SIGKILL' },
    );
    child.once('error', () => undefined);
    return { child, ended: new Promise((resolve) => child.once('exit', resolve)), client };
  });
  try {
    return await seconds(() => Promise.all(processes.map(({ child, client }) => untilServed(child, client))));
  } finally {
    stop.abort();
    await Promise.all(processes.map(({ ended }) => ended));
  }
}
