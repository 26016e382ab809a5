// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { memoryOf } from '@etcd-operator/tools';
import { buildPrograms } from '@etcd-operator/tools/image';
import { networkDialer } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { deliver } from './deliver.ts';

const gibibyte = 1024 ** 3;
const piece = randomBytes(1024 * 1024);

async function* body(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < gibibyte; sent += piece.byteLength) yield piece;
}

/** Starts a store on loopback. Returns the store, and the presigned request with which the agent reads a snapshot from it. */
async function presigning() {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': gibibyte });
    Readable.from(body()).pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { server, presigned: { url: `http://127.0.0.1:${port}/`, headers: {} } };
}

/** The agent as released: bundled, with the options that the image sets. */
async function shipped(folder: string): Promise<readonly string[]> {
  const root = resolve(import.meta.dirname, '../../../../..');
  const name = 'etcd-restore-agent';
  await buildPrograms([{ name, entry: resolve(import.meta.dirname, `../../programs/${name}.ts`) }], {
    root,
    out: folder,
  });
  return ['--optimize-for-size', join(folder, `${name}.mjs`)];
}

test.each([
  ['is sent', false],
  ['it fetches', true],
])(
  'the agent takes a snapshot of 1 GiB that %s in at most 150 MB of memory',
  async (_how, fetches) => {
    const { server, presigned } = await presigning();
    const hash = createHash('sha256');
    for await (const bytes of body()) hash.update(bytes);
    const expected = hash.digest('hex');
    const directory = await mkdtemp(join(tmpdir(), 'agent-memory-'));
    const key = randomBytes(32);
    await writeFile(join(directory, 'key'), key.toString('hex'));
    const agent = spawn(process.execPath, [
      ...(await shipped(join(directory, 'agent'))),
      '-restore=r',
      `-key-file=${join(directory, 'key')}`,
      `-file=${join(directory, 'snapshot.db')}`,
      `-data-dir=${join(directory, 'data')}`,
      '-port=19997',
    ]);
    const ended = new Promise<number | null>((done) => agent.once('exit', done));
    try {
      const ready = new Promise<void>((done) =>
        agent.stderr.on('data', (text) => String(text).includes('waits') && done()),
      );
      expect(await Promise.race([ready, ended])).toBeUndefined();
      let peak = 0;
      let asked = 0;
      await deliver({
        presign: async () => (fetches ? presigned : undefined),
        agent: {
          ...{ ip: '127.0.0.1', uid: 'r', key, clock: systemClock, patience: 0 },
          dial: ({ host }, signal) => networkDialer({ host, port: 19_997 }, signal),
        },
        bytes: gibibyte,
        body,
        judge: ({ sha256 }) => expect(sha256).toBe(expected),
        signal: AbortSignal.timeout(300_000),
        onProgress: (bytes) => {
          if (bytes - asked < 64 * 1024 * 1024) return;
          asked = bytes;
          ({ peak } = memoryOf(agent.pid));
        },
      });
      expect(await ended).toBe(0);
      expect((await stat(join(directory, 'snapshot.db'))).size).toBe(gibibyte);
      process.stdout.write(`    ${Math.round(peak / 1e6)} MB\n`);
      expect(peak).toBeGreaterThan(10_000_000);
      expect(peak).toBeLessThan(150_000_000);
    } finally {
      agent.kill('SIGKILL');
      server.close();
      await rm(directory, { recursive: true, force: true });
    }
  },
  400_000,
);
