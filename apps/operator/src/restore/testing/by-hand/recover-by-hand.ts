// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePart, freePort } from '@etcd-operator/tools';
import { seconds, secondsToServe, untilServed } from './time-to-serve.ts';

const run = promisify(execFile);

/** The seconds that each step of a recovery takes without an operator, a network and a kubelet. */
export interface RecoveryByHand {
  /** `etcdctl snapshot save` from the survivor into a file, with its hash. */
  readonly save: number;
  /** `etcdutl snapshot restore` of that file. */
  readonly tool: number;
  /** From the start of etcd on that data until it serves. */
  readonly open: number;
}

/** Works on a copy of a survivor's data directory, and deletes all its files afterwards. */
export async function recoverByHand(survivor: string, directory: string): Promise<RecoveryByHand> {
  const { programs } = await ensurePart('etcd@3.6', { fromPath: false });
  const { etcd = '', etcdctl = '', etcdutl = '' } = programs;
  const [copy, file, data] = ['copy', 'saved.db', 'recovered'].map((name) => join(directory, `by-hand-${name}`));
  if (!copy || !file || !data) throw new Error('unreachable');
  try {
    await cp(survivor, copy, { recursive: true });
    await run('sync');
    const save = await whileServing(etcd, copy, (client) =>
      seconds(() => run(etcdctl, [`--endpoints=${client}`, 'snapshot', 'save', file])),
    );
    const flags = [`--data-dir=${data}`, '--bump-revision=1000000000', '--mark-compacted', '--skip-hash-check'];
    const tool = await seconds(() => run(etcdutl, ['snapshot', 'restore', file, ...flags]));
    return { save, tool, open: await secondsToServe(etcd, data) };
  } finally {
    for (const path of [copy, file, data]) await rm(path, { recursive: true, force: true });
  }
}

async function whileServing<T>(program: string, directory: string, work: (client: string) => Promise<T>): Promise<T> {
  const [client, peer] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  const child: ChildProcess = spawn(
    program,
    [
      ...['--data-dir', directory, '--quota-backend-bytes', '8589934592', '--force-new-cluster'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client, '--listen-peer-urls', peer],
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    await untilServed(child, client);
    return await work(client);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
