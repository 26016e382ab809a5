// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { networkDialer } from '@etcd-operator/etcd';
import { systemClock } from '@etcd-operator/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deliver } from './deliver.ts';
import { hasData, isReceived, receiveSnapshot } from './receive.ts';

const uid = '0b0e3c1e-0000-4000-8000-000000000001';
const key = randomBytes(32);
const snapshot = randomBytes(3 * 1024 * 1024 + 32);
const sha256 = createHash('sha256').update(snapshot).digest('hex');

const expected = { uid, sha256, bytes: snapshot.byteLength };

let directory = '';
let file = '';
let stop = new AbortController();
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'delivery-'));
  file = join(directory, 'snapshot.db');
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort(new Error('the test is over'));
  await rm(directory, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

/** An agent that listens, and what it says. */
async function agent(bytes = snapshot.byteLength) {
  const port = await freePort();
  const said: string[] = [];
  let listening = () => {};
  const ready = new Promise<void>((resolve) => {
    listening = resolve;
  });
  const say = (line: string) => {
    said.push(line);
    if (line.startsWith('waits')) listening();
  };
  const received = receiveSnapshot({ expected: { uid, sha256, bytes }, key, file, port, signal: stop.signal, say });
  received.catch(() => undefined);
  await ready;
  return { port, said, received };
}

async function* pieces(body: Uint8Array, size = 100_000): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < body.byteLength; from += size) {
    const piece = Buffer.from(body.subarray(from, from + size));
    yield piece;
    // Whoever reads into the same memory again does so now.
    piece.fill(0);
  }
}

function send(port: number, body: Uint8Array, more: { key?: Uint8Array; uid?: string } = {}): Promise<void> {
  return deliver({
    ip: '127.0.0.1',
    uid: more.uid ?? uid,
    key: more.key ?? key,
    bytes: body.byteLength,
    body: pieces(body),
    dial: ({ host }, signal) => networkDialer({ host, port }, signal),
    clock: systemClock,
    patience: 0,
    signal: stop.signal,
    onProgress: () => undefined,
  });
}

describe('a snapshot on its way to the new member', () => {
  test('arrives whole, and only then under its name', async () => {
    const { port, received } = await agent();
    await send(port, snapshot);
    await received;
    expect(await isReceived(file, expected)).toBe(true);
    expect((await readFile(file)).equals(snapshot)).toBe(true);
    expect(existsSync(`${file}.part`)).toBe(false);
  });

  test('that is not the one that was verified is refused for good', async () => {
    const { port } = await agent();
    const other = Buffer.from(snapshot);
    other[1000] = (other[1000] ?? 0) ^ 1;
    await expect(send(port, other)).rejects.toMatchObject({ code: 'SourceRefused' });
    expect(await isReceived(file, expected)).toBe(false);
    await send(port, snapshot);
    expect(await isReceived(file, expected)).toBe(true);
  });

  test('that breaks off leaves nothing, and may be sent again', async () => {
    const { port, received } = await agent();
    const broken = deliver({
      ip: '127.0.0.1',
      uid,
      key,
      bytes: snapshot.byteLength,
      body: (async function* () {
        yield snapshot.subarray(0, 1_000_000);
        throw new Error('the store went away');
      })(),
      dial: ({ host }, signal) => networkDialer({ host, port }, signal),
      clock: systemClock,
      patience: 0,
      signal: stop.signal,
      onProgress: () => undefined,
    });
    await expect(broken).rejects.toThrow('the store went away');
    expect(await isReceived(file, expected)).toBe(false);
    await expect
      .poll(() =>
        send(port, snapshot).then(
          () => 'sent',
          () => 'refused',
        ),
      )
      .toBe('sent');
    await received;
  });

  test.each([
    ['that is stopped', (_: Duplex, own: AbortController) => own.abort(new Error('stopped'))],
    ['whose connection is cut', (socket: Duplex) => socket.destroy()],
  ])('%s lets go of its source', async (_, end) => {
    const endless = 2 ** 40;
    const { port } = await agent(endless);
    const own = new AbortController();
    let socket: Duplex | undefined;
    let isReleased = false;
    const body = async function* () {
      try {
        for (;;) yield snapshot;
      } finally {
        isReleased = true;
      }
    };
    const sending = deliver({
      ...{ ip: '127.0.0.1', uid, key, bytes: endless, body: body(), clock: systemClock, patience: 0 },
      dial: async ({ host }, signal) => {
        socket = await networkDialer({ host, port }, signal);
        return socket;
      },
      signal: own.signal,
      onProgress: () => socket && end(socket, own),
    });
    await expect(sending).rejects.toBeInstanceOf(Error);
    await expect.poll(() => isReleased).toBe(true);
    expect(await isReceived(file, expected)).toBe(false);
  });

  test('that a machine lost in part when it went down is not taken for the whole', async () => {
    await writeFile(file, snapshot);
    expect(await isReceived(file, expected)).toBe(true);
    await writeFile(file, Buffer.concat([snapshot.subarray(0, -4096), Buffer.alloc(4096)]));
    expect(await isReceived(file, expected)).toBe(false);
    await writeFile(file, snapshot.subarray(0, -4096));
    expect(await isReceived(file, expected)).toBe(false);
  });

  test('an agent that listens a moment later is waited for', async () => {
    const { port } = await agent();
    let calls = 0;
    await deliver({
      ...{ ip: '127.0.0.1', uid, key, bytes: snapshot.byteLength, body: pieces(snapshot), clock: systemClock },
      dial: ({ host }, signal) => {
        if (++calls < 3) return Promise.reject(new Error('connection refused'));
        return networkDialer({ host, port }, signal);
      },
      patience: 60_000,
      signal: stop.signal,
      onProgress: () => undefined,
    });
    expect(calls).toBe(3);
    expect(await isReceived(file, expected)).toBe(true);
  });

  test('nobody there is a fault that passes', async () => {
    await expect(send(await freePort(), snapshot)).rejects.toMatchObject({ code: 'NotDelivered' });
  });
});

describe('D35 [91] without the key of the restore', () => {
  test('nothing can be sent to the new member', async () => {
    const { port } = await agent();
    await expect(send(port, snapshot, { key: randomBytes(32) })).rejects.toMatchObject({ code: 'NotDelivered' });
    await expect(send(port, snapshot, { uid: 'another restore' })).rejects.toMatchObject({ code: 'NotDelivered' });
    expect(await isReceived(file, expected)).toBe(false);
  });

  test('there is no plain HTTP, and nothing to be read', async () => {
    const { port } = await agent();
    const answer = new Promise((resolve) => {
      const call = request({ host: '127.0.0.1', port, path: '/v1/backup/example' }, resolve);
      call.once('error', resolve);
      call.end();
    });
    expect(await answer).toBeInstanceOf(Error);
  });

  test('a client that sends rubbish does not stop the agent', async () => {
    const { port, received } = await agent();
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('rubbish');
    await send(port, snapshot);
    await received;
    socket.destroy();
    expect(await isReceived(file, expected)).toBe(true);
  });

  test('one who only pretends to be the agent gets nothing', async () => {
    const taken: Buffer[] = [];
    const impostor = createServer((socket) =>
      socket.on('data', (data) => taken.push(data)).on('error', () => undefined),
    );
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
    const address = impostor.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const sending = send(port, snapshot);
    sending.catch(() => undefined);
    await expect.poll(() => taken.length).toBeGreaterThan(0);
    expect(Buffer.concat(taken).byteLength).toBeLessThan(2_000);
    stop.abort(new Error('enough'));
    await expect(sending).rejects.toThrow('cannot be reached');
    impostor.close();
  });
});

test('fault 8: a directory with data in it is left alone', async () => {
  expect(await hasData(join(directory, 'nothing'))).toBe(false);
  await mkdir(join(directory, 'data'));
  expect(await hasData(join(directory, 'data'))).toBe(false);
  await writeFile(join(directory, 'data', 'member'), '');
  expect(await hasData(join(directory, 'data'))).toBe(true);
});
