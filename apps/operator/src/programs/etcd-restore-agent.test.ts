// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '@etcd-operator/tools';
import { networkDialer } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deliver } from '../restore/delivery/deliver.ts';

const program = resolve(import.meta.dirname, 'etcd-restore-agent.ts');
const snapshot = randomBytes(100_000);
const sha256 = createHash('sha256').update(snapshot).digest('hex');
const key = randomBytes(32);
let directory = '';
let agent: ChildProcess | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-'));
  await writeFile(join(directory, 'key'), `${key.toString('hex')}\n`);
});
afterEach(async () => {
  agent?.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

function start(port: number): { readonly ended: Promise<number | null>; readonly said: () => string } {
  const child = spawn(process.execPath, [
    program,
    '-restore=r',
    `-key-file=${join(directory, 'key')}`,
    `-file=${join(directory, 'snapshot.db')}`,
    `-data-dir=${join(directory, 'data')}`,
    `-port=${port}`,
  ]);
  agent = child;
  let text = '';
  child.stderr.on('data', (piece) => {
    text += String(piece);
  });
  return { ended: new Promise((done) => child.once('exit', done)), said: () => text };
}

async function* body(): AsyncGenerator<Uint8Array> {
  yield snapshot;
}

describe('etcd-restore-agent', () => {
  test('takes the snapshot and ends, whoever else holds a connection', async () => {
    const port = await freePort();
    const { ended, said } = start(port);
    await expect.poll(said).toContain('waiting for the snapshot');
    const idle = connect(port, '127.0.0.1');
    idle.on('error', () => undefined);
    await deliver({
      agent: {
        ...{ ip: '127.0.0.1', uid: 'r', key, clock: systemClock, patience: 0 },
        dial: ({ host }, signal) => networkDialer({ host, port }, signal),
      },
      bytes: snapshot.byteLength,
      body,
      judge: () => undefined,
      signal: AbortSignal.timeout(30_000),
      onProgress: () => undefined,
    });
    expect(await ended).toBe(0);
    idle.destroy();
    expect((await readFile(join(directory, 'snapshot.db'))).equals(snapshot)).toBe(true);
  });

  test('fault 8: has nothing to do where there is data, even without its key', async () => {
    await mkdir(join(directory, 'data'));
    await writeFile(join(directory, 'data', 'member'), '');
    await rm(join(directory, 'key'));
    const { ended, said } = start(await freePort());
    expect(await ended).toBe(0);
    expect(said()).toContain('nothing is restored');
  });

  test('has nothing to do where the snapshot has come before', async () => {
    await writeFile(join(directory, 'snapshot.db'), snapshot);
    await writeFile(join(directory, 'snapshot.db.sha256'), sha256);
    expect(await start(await freePort()).ended).toBe(0);
  });

  test('fault 8, operator rule 4: takes the snapshot away once the restore is over, so that lost data is not made from it again', async () => {
    await writeFile(join(directory, 'snapshot.db'), snapshot);
    await writeFile(join(directory, 'snapshot.db.sha256'), sha256);
    await rm(join(directory, 'key'));
    // A volume in memory is empty after every reboot.
    for (let reboot = 0; reboot < 2; reboot++) {
      const { ended, said } = start(await freePort());
      expect(await ended).toBe(0);
      expect(said()).toContain('the restore has already finished');
      expect(await readdir(directory)).toEqual(['snapshot.db.over']);
    }
  });

  test('takes the snapshot again where a crash of the machine left other bytes', async () => {
    await writeFile(join(directory, 'snapshot.db'), Buffer.alloc(snapshot.byteLength));
    await writeFile(join(directory, 'snapshot.db.sha256'), sha256);
    const { said } = start(await freePort());
    await expect.poll(said).toContain('waiting for the snapshot');
    expect(await readdir(directory)).toEqual(['key']);
  });

  test('says what is wrong, and its key is never in what it says', async () => {
    await writeFile(join(directory, 'key'), '');
    await rm(join(directory, 'key'));
    const { ended, said } = start(await freePort());
    expect(await ended).toBe(1);
    expect(said()).toContain('key');
    expect(said()).not.toContain(key.toString('hex'));
  });
});
