// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { networkDialer } from '@etcd-operator/etcd';
import { systemClock } from '@etcd-operator/ports';
import { expect, test } from 'vitest';
import { deliver } from './deliver.ts';

const gibibyte = 1024 ** 3;
const piece = randomBytes(1024 * 1024);

async function* body(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < gibibyte; sent += piece.byteLength) yield piece;
}

/** The most memory that a process has had, in bytes. */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

test('the agent takes a snapshot of 1 GiB in at most 150 MB of memory', async () => {
  const hash = createHash('sha256');
  for await (const bytes of body()) hash.update(bytes);
  const expected = hash.digest('hex');
  const directory = await mkdtemp(join(tmpdir(), 'agent-memory-'));
  const key = randomBytes(32);
  await writeFile(join(directory, 'key'), key.toString('hex'));
  const program = resolve(import.meta.dirname, '../../programs/etcd-restore-agent.ts');
  const agent = spawn(process.execPath, [
    program,
    '-restore=r',
    `-key-file=${join(directory, 'key')}`,
    `-file=${join(directory, 'snapshot.db')}`,
    `-data-dir=${join(directory, 'data')}`,
    '-port=19997',
  ]);
  const ended = new Promise<number | null>((done) => agent.once('exit', done));
  try {
    await new Promise<void>((ready) => agent.stderr.on('data', (text) => String(text).includes('waits') && ready()));
    let peak = 0;
    await deliver({
      agent: {
        ...{ ip: '127.0.0.1', uid: 'r', key, clock: systemClock, patience: 0 },
        dial: ({ host }, signal) => networkDialer({ host, port: 19_997 }, signal),
      },
      bytes: gibibyte,
      body,
      judge: ({ sha256 }) => expect(sha256).toBe(expected),
      signal: AbortSignal.timeout(300_000),
      onProgress: (bytes) => {
        if (bytes % (64 * 1024 * 1024) === 0)
          void peakMemory(agent.pid ?? 0).then(
            (now) => {
              peak = Math.max(peak, now);
            },
            () => undefined,
          );
      },
    });
    expect(await ended).toBe(0);
    expect((await stat(join(directory, 'snapshot.db'))).size).toBe(gibibyte);
    expect(peak).toBeGreaterThan(10_000_000);
    expect(peak).toBeLessThan(150_000_000);
  } finally {
    agent.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  }
}, 400_000);
