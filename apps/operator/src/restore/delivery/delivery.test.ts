// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { freePort } from '@etcd-operator/tools';
import { networkDialer } from '@operator-parts/etcd';
import { VirtualClock } from '@operator-parts/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentScene } from '../testing/agent-scene.ts';
import { type AgentAddress, AgentConnection } from './agent-connection.ts';
import { deliver } from './deliver.ts';
import type { Measured } from './measure.ts';
import { hasData, isReceived } from './snapshot-file.ts';

let scene: AgentScene;
beforeEach(async () => {
  scene = await AgentScene.open();
});
afterEach(() => scene[Symbol.asyncDispose]());

async function* pieces(body: Uint8Array, size = 100_000): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < body.byteLength; from += size) {
    const piece = Buffer.from(body.subarray(from, from + size));
    yield piece;
    // A reader that reuses its buffer overwrites it now.
    piece.fill(0);
  }
}

/** Only the right snapshot is kept. */
function verdict({ sha256 }: Measured): string {
  if (sha256 !== scene.sha256) throw new Error('other bytes');
  return 'sound';
}

function send(body: Uint8Array = scene.snapshot, agent: Partial<AgentAddress> = {}): Promise<string> {
  return deliver({
    agent: scene.address(agent),
    bytes: body.byteLength,
    body: () => pieces(body),
    judge: verdict,
    signal: scene.stop.signal,
    onProgress: () => undefined,
  });
}

/** The data of a lost connection is dropped a moment after the connection is gone. */
async function sentAgain(): Promise<void> {
  const outcome = () =>
    send().then(
      () => 'sent',
      () => 'refused',
    );
  await expect.poll(outcome).toBe('sent');
}

/** A connection over which the snapshot was sent. The previous connection may still be open for a moment. */
async function brought() {
  for (;;) {
    const first = await AgentConnection.connect(scene.address(), scene.stop.signal);
    try {
      const measured = await first.send(scene.snapshot.byteLength, pieces(scene.snapshot), () => undefined);
      return { first, measured };
    } catch {
      first.close();
    }
  }
}

describe('a snapshot that is sent to the new member', () => {
  test('arrives whole, and only then under its name', async () => {
    expect(await send()).toBe('sound');
    await scene.received;
    expect(await isReceived(scene.file)).toBe(true);
    expect((await readFile(scene.file)).equals(scene.snapshot)).toBe(true);
    expect(existsSync(`${scene.file}.part`)).toBe(false);
  });

  test('is measured by whoever receives it, with both of its hashes', async () => {
    const { snapshot, sha256 } = scene;
    let seen: Measured | undefined;
    await deliver({
      agent: scene.address(),
      bytes: snapshot.byteLength,
      body: () => pieces(snapshot, 9_999),
      judge: (measured) => {
        seen = measured;
        expect(existsSync(scene.file)).toBe(false);
      },
      signal: scene.stop.signal,
      onProgress: () => undefined,
    });
    const own = createHash('sha256').update(snapshot.subarray(0, -32)).digest('hex');
    expect(seen).toEqual({ bytes: snapshot.byteLength, sha256, embedded: { sha256: own, says: own } });
  });

  test('that is judged to be another one leaves nothing, and may be sent again', async () => {
    const other = Buffer.from(scene.snapshot);
    other[1000] = (other[1000] ?? 0) ^ 1;
    await expect(send(other)).rejects.toThrow('other bytes');
    await expect.poll(() => readdir(scene.directory)).toEqual([]);
    await sentAgain();
    await scene.received;
    expect(await isReceived(scene.file)).toBe(true);
  });

  test('is kept only for the connection that has brought it, and only for these bytes', async () => {
    const { signal } = scene.stop;
    const none = await AgentConnection.connect(scene.address(), signal);
    await expect(none.keep({ sha256: scene.sha256 })).rejects.toThrow('no complete snapshot was received');
    none.close();
    const { first, measured } = await brought();
    const second = await AgentConnection.connect(scene.address(), signal);
    await expect(second.keep(measured)).rejects.toThrow('another snapshot is being received');
    second.close();
    await expect(first.keep({ sha256: 'a'.repeat(64) })).rejects.toThrow(
      'differs from the SHA-256 that the operator expects',
    );
    first.close();
    expect(await isReceived(scene.file)).toBe(false);
    await expect.poll(() => readdir(scene.directory)).toEqual([]);
    await sentAgain();
  });

  test('whose connection is lost before it is kept is dropped', async () => {
    const agentConnection = await AgentConnection.connect(scene.address(), scene.stop.signal);
    await agentConnection.send(scene.snapshot.byteLength, pieces(scene.snapshot), () => undefined);
    expect(await readdir(scene.directory)).toEqual(['snapshot.db.part']);
    agentConnection.close();
    await expect.poll(() => readdir(scene.directory)).toEqual([]);
    await sentAgain();
  });

  test('whose connection is lost while it is judged is not kept, and may be sent again', async () => {
    const dialled: Duplex[] = [];
    const { dial } = scene.address();
    const watched = async (...all: Parameters<typeof dial>) => {
      const socket = await dial(...all);
      dialled.push(socket);
      return socket;
    };
    const lost = deliver({
      agent: scene.address({ dial: watched }),
      bytes: scene.snapshot.byteLength,
      body: () => pieces(scene.snapshot),
      judge: async () => {
        const gone = dialled.map((socket) => once(socket, 'close'));
        for (const socket of dialled) socket.destroy();
        await Promise.all(gone);
      },
      signal: scene.stop.signal,
      onProgress: () => undefined,
    });
    await expect(lost).rejects.toMatchObject({ code: 'NotDelivered' });
    await sentAgain();
  });

  test('that breaks off leaves nothing, and may be sent again', async () => {
    const { snapshot } = scene;
    const broken = deliver({
      agent: scene.address(),
      bytes: snapshot.byteLength,
      body: async function* () {
        yield snapshot.subarray(0, 1_000_000);
        throw new Error('the backup store went away');
      },
      judge: verdict,
      signal: scene.stop.signal,
      onProgress: () => undefined,
    });
    await expect(broken).rejects.toThrow('the backup store went away');
    expect(await isReceived(scene.file)).toBe(false);
    await sentAgain();
    await scene.received;
  });

  test.each([
    ['that is stopped', (_: Duplex, own: AbortController) => own.abort(new Error('stopped'))],
    ['whose connection is cut', (socket: Duplex) => socket.destroy()],
  ])('%s lets go of its source', async (_, end) => {
    const own = new AbortController();
    let socket: Duplex | undefined;
    let isReleased = false;
    const sending = deliver({
      agent: scene.address({
        dial: async ({ host }, signal) => {
          socket = await networkDialer({ host, port: scene.port }, signal);
          return socket;
        },
      }),
      bytes: 2 ** 40,
      body: async function* () {
        try {
          for (;;) yield scene.snapshot;
        } finally {
          isReleased = true;
        }
      },
      judge: verdict,
      signal: own.signal,
      onProgress: () => socket && end(socket, own),
    });
    await expect(sending).rejects.toBeInstanceOf(Error);
    await expect.poll(() => isReleased).toBe(true);
    expect(await isReceived(scene.file)).toBe(false);
  });

  test('that a machine lost in part when it went down is not taken for the whole', async () => {
    const { file, snapshot, sha256 } = scene;
    await writeFile(file, snapshot);
    expect(await isReceived(file)).toBe(false);
    await writeFile(`${file}.sha256`, sha256);
    expect(await isReceived(file)).toBe(true);
    await writeFile(file, Buffer.concat([snapshot.subarray(0, -4096), Buffer.alloc(4096)]));
    expect(await isReceived(file)).toBe(false);
    await writeFile(file, snapshot.subarray(0, -4096));
    expect(await isReceived(file)).toBe(false);
    await writeFile(file, snapshot);
    await writeFile(`${file}.sha256`, '');
    expect(await isReceived(file)).toBe(false);
  });

  test('sending waits for an agent that listens a moment later', async () => {
    let calls = 0;
    const dial: AgentAddress['dial'] = ({ host }, signal) => {
      if (++calls < 3) return Promise.reject(new Error('connection refused'));
      return networkDialer({ host, port: scene.port }, signal);
    };
    await send(scene.snapshot, { dial, patience: 60_000 });
    expect(calls).toBe(3);
    expect(await isReceived(scene.file)).toBe(true);
  });

  test('an agent that does not listen yet is a temporary failure', async () => {
    const port = await freePort();
    const dial: AgentAddress['dial'] = ({ host }, signal) => networkDialer({ host, port }, signal);
    await expect(send(scene.snapshot, { dial })).rejects.toMatchObject({ code: 'NotDelivered' });
  });
});

describe('an agent that cannot be reached', () => {
  const lost: AgentAddress['dial'] = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });

  test('fails after a time, though the connection is not refused', async () => {
    const clock = new VirtualClock();
    const sending = send(scene.snapshot, { dial: lost, clock, patience: 60_000 });
    const [outcome] = await Promise.allSettled([sending, clock.advance(60_000)]);
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'NotDelivered' } });
  });

  test('fails when the connection is closed before keys are agreed on', async () => {
    const dial: AgentAddress['dial'] = () => {
      const [near, far] = duplexPair();
      far.once('data', () => near.destroy());
      return Promise.resolve(near);
    };
    await expect(send(scene.snapshot, { dial })).rejects.toMatchObject({ code: 'NotDelivered' });
  });
});

describe('D35 [91] without the key of the restore', () => {
  test('nothing can be sent to the new member', async () => {
    const { snapshot } = scene;
    await expect(send(snapshot, { key: randomBytes(32) })).rejects.toMatchObject({ code: 'NotDelivered' });
    await expect(send(snapshot, { uid: 'another restore' })).rejects.toMatchObject({ code: 'NotDelivered' });
    expect(await isReceived(scene.file)).toBe(false);
  });

  test('there is no plain HTTP, and nothing to be read', async () => {
    const answer = new Promise((resolve) => {
      const call = request({ host: '127.0.0.1', port: scene.port, path: '/v1/backup/example' }, resolve);
      call.once('error', resolve);
      call.end();
    });
    expect(await answer).toBeInstanceOf(Error);
  });

  test('a client that sends rubbish does not stop the agent', async () => {
    const socket = connect(scene.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('rubbish');
    await send();
    await scene.received;
    socket.destroy();
    expect(await isReceived(scene.file)).toBe(true);
  });

  test('one who only pretends to be the agent gets nothing', async () => {
    const taken: Buffer[] = [];
    const impostor = createServer((socket) =>
      socket.on('data', (data) => taken.push(data)).on('error', () => undefined),
    );
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
    const address = impostor.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const sending = send(scene.snapshot, { dial: ({ host }, signal) => networkDialer({ host, port }, signal) });
    sending.catch(() => undefined);
    await expect.poll(() => taken.length).toBeGreaterThan(0);
    expect(Buffer.concat(taken).byteLength).toBeLessThan(2_000);
    scene.stop.abort(new Error('enough'));
    await expect(sending).rejects.toThrow('cannot be reached');
    impostor.close();
  });
});

test('fault 8: a directory with data in it is left alone', async () => {
  const { directory } = scene;
  expect(await hasData(join(directory, 'nothing'))).toBe(false);
  await mkdir(join(directory, 'data'));
  expect(await hasData(join(directory, 'data'))).toBe(false);
  await writeFile(join(directory, 'data', 'member'), '');
  expect(await hasData(join(directory, 'data'))).toBe(true);
});

describe('an operator that loses its lease', () => {
  test.each([
    ['before it sends', 1],
    ['while it sends', 3],
    ['before the agent is told to keep it', Number.POSITIVE_INFINITY],
  ])('%s leaves the new member without the snapshot', async (_title, pieceOfLoss) => {
    let asked = 0;
    let isLost = false;
    const fence = () => {
      asked += 1;
      if (isLost || asked >= pieceOfLoss) throw new Error('this process does not hold the lease');
    };
    const delivered = deliver({
      agent: scene.address({ fence }),
      bytes: scene.snapshot.byteLength,
      body: () => pieces(scene.snapshot),
      judge: (measured) => {
        isLost = true;
        return verdict(measured);
      },
      signal: scene.stop.signal,
      onProgress: () => undefined,
    });
    await expect(delivered).rejects.toThrow('this process does not hold the lease');
    expect(await isReceived(scene.file)).toBe(false);
  });
});
