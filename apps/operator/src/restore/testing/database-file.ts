// SPDX-License-Identifier: Apache-2.0
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MemberClient } from '@etcd-operator/etcd';
import { systemClock } from '@etcd-operator/ports';
import { ensurePart } from '@etcd-operator/tools';

const run = promisify(execFile);

/** A snapshot of a real etcd with a few keys in it. */
export async function databaseFile(): Promise<Buffer> {
  const { programs } = await ensurePart('etcd@3.6', { fromPath: false });
  const directory = await mkdtemp(join(tmpdir(), 'database-file-'));
  const [client, peer] = [await freePort(), await freePort()];
  const url = (port: number) => `http://127.0.0.1:${port}`;
  const etcd = spawn(
    programs['etcd'] ?? '',
    [
      `--data-dir=${join(directory, 'data')}`,
      `--listen-client-urls=${url(client)}`,
      `--advertise-client-urls=${url(client)}`,
      `--listen-peer-urls=${url(peer)}`,
      `--initial-advertise-peer-urls=${url(peer)}`,
      `--initial-cluster=default=${url(peer)}`,
    ],
    { stdio: 'ignore' },
  );
  try {
    await fill(client);
    const file = join(directory, 'snapshot.db');
    await run(programs['etcdctl'] ?? '', [`--endpoints=${url(client)}`, 'snapshot', 'save', file]);
    return await readFile(file);
  } finally {
    const gone = new Promise((resolve) => etcd.once('exit', resolve));
    etcd.kill('SIGKILL');
    await gone;
    await rm(directory, { recursive: true, force: true });
  }
}

async function fill(port: number): Promise<void> {
  using member = new MemberClient({ target: { host: '127.0.0.1', port }, clock: systemClock });
  for (let attempt = 0; ; attempt++) {
    try {
      for (let index = 0; index < 20; index++) {
        await member.kv.put({ key: Buffer.from(`key-${index}`), value: Buffer.alloc(200, `v${index}`) });
      }
      return;
    } catch (error) {
      if (attempt > 300) throw error;
      await systemClock.sleep(100);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
