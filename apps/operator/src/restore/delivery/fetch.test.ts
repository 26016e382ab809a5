// SPDX-License-Identifier: Apache-2.0
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { TestAuthority } from '@etcd-operator/tools';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentScene } from '../testing/agent-scene.ts';
import { deliver } from './deliver.ts';
import { fetchSnapshot } from './fetch.ts';
import type { Measured } from './measure.ts';
import { isReceived } from './snapshot-file.ts';

/** Anyone who has this can read the object: it must never appear in a message. */
const marker = 'CAPABILITY-7f3a';

let scene: AgentScene;
const stores: Server[] = [];
const asked: string[] = [];
beforeEach(async () => {
  scene = await AgentScene.open();
  asked.length = 0;
});
afterEach(async () => {
  for (const store of stores.splice(0)) {
    store.closeAllConnections();
    store.close();
  }
  await scene[Symbol.asyncDispose]();
});

/** A store on loopback; returns the address of its one object. */
async function store(answer: RequestListener, make = (listener: RequestListener): Server => createServer(listener)) {
  const server = make((request, response) => {
    asked.push(`${request.url} ${request.headers['x-secret']}`);
    answer(request, response);
  });
  stores.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/big.db?signature=${marker}`, headers: { 'x-secret': marker } };
}

const whole: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-length': scene.snapshot.byteLength });
  response.end(scene.snapshot);
};

let relayed = 0;
async function* relay(): AsyncGenerator<Uint8Array> {
  relayed++;
  yield scene.snapshot;
}

function send(presigned: { url: string; headers: Record<string, string>; ca?: string }): Promise<Measured> {
  relayed = 0;
  return deliver({
    agent: scene.address(),
    bytes: scene.snapshot.byteLength,
    presign: async () => presigned,
    body: relay,
    judge: (measured) => {
      if (measured.sha256 !== scene.sha256) throw new Error('other bytes');
      return measured;
    },
    signal: scene.stop.signal,
    onProgress: () => undefined,
  });
}

async function expectArrived(): Promise<void> {
  await scene.received;
  expect(await isReceived(scene.file)).toBe(true);
  expect((await readFile(scene.file)).equals(scene.snapshot)).toBe(true);
}

/** The marker is in no message of the agent, and in none of the given texts. */
function expectUnsaid(...more: unknown[]): void {
  expect(JSON.stringify([scene.said, ...more.map(String)])).not.toContain(marker);
}

describe('a snapshot that the new member reads by itself', () => {
  test('does not go through the operator, and is measured and judged all the same', async () => {
    expect(await send(await store(whole))).toMatchObject({ sha256: scene.sha256 });
    expect(relayed).toBe(0);
    expect(asked).toEqual([`/big.db?signature=${marker} ${marker}`]);
    await expectArrived();
    expectUnsaid();
  });

  test('says how far it is', async () => {
    const large = Buffer.alloc(9 * 1024 * 1024, 'x');
    const presigned = await store((_request, response) => {
      response.writeHead(200, { 'content-length': large.byteLength });
      response.end(large);
    });
    const seen: number[] = [];
    const delivery = deliver({
      ...{ agent: scene.address(), bytes: large.byteLength, presign: async () => presigned, body: relay },
      ...{ judge: () => undefined, signal: scene.stop.signal, onProgress: (bytes) => void seen.push(bytes) },
    });
    await delivery;
    expect(seen).toHaveLength(2);
    expect(seen.at(-1)).toBeGreaterThanOrEqual(8 * 1024 * 1024);
  });

  test('over TLS with an authority that came with the presigned URL', async () => {
    const authority = await TestAuthority.create('store');
    const { cert, key } = await authority.issue({ names: ['localhost'] });
    const { url, headers } = await store(whole, (listener) => createTlsServer({ cert, key }, listener));
    const secured = url.replace('http://127.0.0.1', 'https://localhost');
    await send({ url: secured, headers, ca: authority.ca });
    expect(relayed).toBe(0);
    await expectArrived();
  });

  test.each<readonly [string, RequestListener]>([
    ['is refused', (_request, response) => response.writeHead(403).end(marker)],
    ['meets a fault of the backup store', (_request, response) => response.writeHead(503).end()],
    [
      'is longer',
      (_request, response) => response.writeHead(200, { 'content-length': scene.snapshot.byteLength + 1 }).end(),
    ],
    ['is shorter', (_request, response) => response.writeHead(200, { 'content-length': 5 }).end('short')],
    ['has no length', (_request, response) => response.writeHead(200).end(scene.snapshot)],
    [
      'breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': scene.snapshot.byteLength });
        response.write(scene.snapshot.subarray(0, 1_000_000), () => response.destroy());
      },
    ],
  ])('and %s comes through the operator instead', async (_what, answer) => {
    await send(await store(answer));
    expect(relayed).toBe(1);
    await expectArrived();
    expectUnsaid();
  });

  test('and is nowhere to be found comes through the operator instead', async () => {
    const { url, headers } = await store(whole);
    stores.pop()?.close();
    await send({ url, headers });
    expect(relayed).toBe(1);
    await expectArrived();
    expectUnsaid();
  });

  test('and has a certificate that is not trusted comes through the operator instead', async () => {
    const authority = await TestAuthority.create('another');
    const { cert, key } = await authority.issue({ names: ['localhost'] });
    const { url, headers } = await store(whole, (listener) => createTlsServer({ cert, key }, listener));
    await send({ url: url.replace('http://127.0.0.1', 'https://localhost'), headers });
    expect(relayed).toBe(1);
    expect(asked).toEqual([]);
    expectUnsaid();
  });

  test('is not looked for where a store sends it to', async () => {
    let visits = 0;
    const elsewhere = await store((request, response) => {
      visits++;
      whole(request, response);
    });
    const presigned = await store((_request, response) => response.writeHead(307, { location: elsewhere.url }).end());
    await send(presigned);
    expect({ relayed, visits }).toEqual({ relayed: 1, visits: 0 });
    await expectArrived();
    expectUnsaid();
  });

  test('and that has changed is refused, and nothing of it is kept', async () => {
    const other = Buffer.alloc(scene.snapshot.byteLength, 'other');
    const presigned = await store((_request, response) => {
      response.writeHead(200, { 'content-length': other.byteLength });
      response.end(other);
    });
    const refusal = await send(presigned).catch((error: unknown) => error);
    expect(String(refusal)).toContain('other bytes');
    expectUnsaid(refusal);
    await expect.poll(() => readdir(scene.directory)).toEqual([]);
  });
});

test('a store that sends two bytes at a time ends in a bounded time, and without the presigned URL', async () => {
  const presigned = await store((_request, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 });
    const timer = setInterval(() => response.write('xx'), 20);
    response.once('close', () => clearInterval(timer));
  });
  const read = async () => {
    const pieces = fetchSnapshot({ ...presigned, bytes: 1_000_000 }, { signal: scene.stop.signal, patience: 100 });
    for await (const piece of pieces) expect(piece.byteLength).toBeLessThan(1_000);
  };
  const error = await read().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    name: 'FetchError',
    code: 'Unreachable',
    message: expect.stringMatching(/less than 128 KiB/),
  });
  expectUnsaid(error);
});

describe('D35 a presigned URL is in no message', () => {
  test.each([
    ['no address at all', `::${marker}::`, {}],
    ['an address of another kind', `ftp://127.0.0.1/${marker}`, {}],
    ['a header that cannot be sent', 'http://127.0.0.1:9/', { 'x-secret': `${marker}\n` }],
  ])('by whoever fails with %s', async (_what, url, headers) => {
    const fetching = fetchSnapshot({ url, headers, bytes: 1 }, { signal: scene.stop.signal }).next();
    const error = await fetching.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: 'FetchError', code: 'Unreachable' });
    expectUnsaid(error, error instanceof Error ? error.stack : '', error instanceof Error ? error.cause : '');
  });

  test.each<readonly [string, RequestListener]>([
    ['does not answer', () => undefined],
    ['stops sending midway', (_request, response) => void response.writeHead(200, { 'content-length': 9 }).write('x')],
  ])('by whoever waits for a store that %s', async (_what, answer) => {
    const presigned = await store(answer);
    const read = async () => {
      const pieces = fetchSnapshot({ ...presigned, bytes: 9 }, { signal: scene.stop.signal, patience: 50 });
      for await (const piece of pieces) expect(piece.byteLength).toBe(1);
    };
    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'FetchError', code: 'Unreachable' });
    expectUnsaid(error);
  });
});
