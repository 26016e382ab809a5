// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GuardedAgents, guardedAgents } from './guarded-agents.ts';
import { httpCall, textOf } from './http-call.ts';

let server: Server;
let port: number;
let hits: string[];

beforeAll(async () => {
  hits = [];
  server = createServer((request, response) => {
    hits.push(`${request.headers.host} ${request.url}`);
    if (request.url === '/redirect') response.writeHead(307, { location: `http://127.0.0.1:${port}/stolen` }).end();
    else response.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' ? (address?.port ?? 0) : 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function get(agents: GuardedAgents, url: string) {
  return httpCall(agents, { method: 'GET', url: new URL(url), headers: {}, signal: AbortSignal.timeout(5_000) });
}

describe('connections', () => {
  test('to a name are made to the addresses it was checked by', async () => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return ['127.0.0.1'];
    };
    const agents = guardedAgents({ policy: { allowLocal: true, resolve }, host: 'store.test' });
    const answer = await get(agents, `http://store.test:${port}/a`);
    expect(await textOf(answer)).toBe('ok');
    const below = await get(agents, `http://bucket.store.test:${port}/b`);
    expect(await textOf(below)).toBe('ok');
    expect(asked).toEqual(['store.test', 'bucket.store.test']);
    agents.close();
  });

  test.each([
    ['a name that resolves to loopback', 'http://store.test', ['127.0.0.1']],
    ['a name that resolves to a metadata service', 'http://store.test', ['10.0.0.1', '169.254.169.254']],
    ['an address of loopback', 'http://127.0.0.1', []],
    ['an address of loopback in IPv6', 'http://[::1]', []],
    ['a metadata service', 'http://169.254.169.254', []],
  ])('to %s are refused', async (_title, base, addresses) => {
    const agents = guardedAgents({ policy: { resolve: async () => addresses } });
    const before = hits.length;
    await expect(get(agents, `${base}:${port}/`)).rejects.toMatchObject({ code: 'Configuration' });
    expect(hits).toHaveLength(before);
    agents.close();
  });

  test.each([
    ['http://other.test', 'store.test'],
    ['http://evilstore.test', 'store.test'],
    ['http://store.test.evil', 'store.test'],
  ])('to %s are refused if the store is %s', async (base, host) => {
    const agents = guardedAgents({ policy: { allowLocal: true, resolve: async () => ['127.0.0.1'] }, host });
    await expect(get(agents, `${base}:${port}/`)).rejects.toThrow(
      'the request to store.test is not sent, because it would go to',
    );
    agents.close();
  });

  test('of TLS are checked in the same way', async () => {
    const agents = guardedAgents({ policy: { resolve: async () => ['127.0.0.1'] } });
    await expect(get(agents, `https://store.test:${port}/`)).rejects.toMatchObject({ code: 'Configuration' });
    await expect(get(agents, `https://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'Configuration' });
    agents.close();
  });

  test('to a name that does not resolve fail', async () => {
    const agents = guardedAgents({ policy: { resolve: async () => [] } });
    await expect(get(agents, 'http://store.test/')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const broken = guardedAgents({ policy: { resolve: () => Promise.reject(new Error('no resolver')) } });
    await expect(get(broken, 'http://store.test/')).rejects.toThrow('no resolver');
    agents.close();
    broken.close();
  });

  test('to the address of a store in IPv6 are let through, and to no other', async () => {
    const agents = guardedAgents({ policy: { allowLocal: true }, host: '[::1]' });
    // Whether something listens there, or the machine has IPv6, does not matter.
    const answer = await get(agents, 'http://[::1]:1/').catch((error: unknown) => error);
    expect(String(answer)).not.toContain('refused');
    await expect(get(agents, 'http://[::2]:1/')).rejects.toThrow(
      'the request to [::1] is not sent, because it would go to',
    );
    agents.close();
  });

  test('are kept and used again', async () => {
    let lookups = 0;
    const resolve = async () => {
      lookups += 1;
      return ['127.0.0.1'];
    };
    const agents = guardedAgents({ policy: { allowLocal: true, resolve } });
    for (let round = 0; round < 3; round++) await textOf(await get(agents, `http://store.test:${port}/`));
    expect(lookups).toBe(1);
    agents.close();
  });
});

describe('a check without a connection', () => {
  test.each([
    ['a name that resolves to loopback', 'https://store.test/k', ['127.0.0.1']],
    ['a bucket that resolves to a metadata service', 'https://b.store.test/k', ['10.0.0.1', '169.254.169.254']],
    ['another host', 'https://other.test/k', ['10.0.0.1']],
    ['an address of loopback', 'http://127.0.0.1/k', []],
  ])('refuses %s', async (_title, url, addresses) => {
    const agents = guardedAgents({ policy: { resolve: async () => addresses }, host: 'store.test' });
    await expect(agents.check(new URL(url))).rejects.toMatchObject({ code: 'Configuration' });
    agents.close();
  });

  test('lets through what connections may be made to', async () => {
    const resolve = async () => ['10.0.0.1'];
    const named = guardedAgents({ policy: { resolve }, host: 'store.test' });
    await named.check(new URL('https://store.test/k'));
    await named.check(new URL('http://bucket.store.test:9000/k'));
    named.close();
    const byPort = guardedAgents({ policy: { resolve, allow: ['*.test:443'] } });
    await byPort.check(new URL('https://store.test/k'));
    await expect(byPort.check(new URL('http://store.test/k'))).rejects.toMatchObject({ code: 'Configuration' });
    byPort.close();
    const byAddress = guardedAgents({ policy: { resolve: async () => [] }, host: '[fd12::1]' });
    await byAddress.check(new URL('https://[fd12::1]:9000/k'));
    byAddress.close();
  });
});

test('redirects are answers, not orders', async () => {
  const agents = guardedAgents({ policy: { allowLocal: true } });
  const answer = await get(agents, `http://127.0.0.1:${port}/redirect`);
  expect(answer.status).toBe(307);
  answer.body.resume();
  expect(hits.filter((hit) => hit.includes('stolen'))).toEqual([]);
  agents.close();
});

describe('a fence', () => {
  /** A server that counts received bytes, and stops reading on request. */
  async function receiver() {
    const taker = createServer();
    const arrived = { requests: 0, bytes: 0, whole: 0 };
    const held: Socket[] = [];
    taker.on('connection', (socket: Socket) => held.push(socket));
    taker.on('request', (request, response) => {
      arrived.requests += 1;
      request.on('data', (chunk: Buffer) => {
        arrived.bytes += chunk.byteLength;
      });
      request.on('end', () => {
        arrived.whole += 1;
        response.end('ok');
      });
    });
    taker.listen(0, '127.0.0.1');
    await once(taker, 'listening');
    const { port: at } = taker.address() as AddressInfo;
    const url = new URL(`http://127.0.0.1:${at}/`);
    const end = () => {
      taker.closeAllConnections();
      taker.close();
    };
    return { url, arrived, held, end };
  }
  const put = (agents: GuardedAgents, url: URL, body: readonly Uint8Array[]) =>
    httpCall(agents, { method: 'PUT', url, headers: {}, body, signal: AbortSignal.timeout(10_000) });

  test('is asked when the connection is there: what waited for it is not sent', async () => {
    const { url, arrived, end } = await receiver();
    let isLost = false;
    const agents = guardedAgents({
      policy: { allowLocal: true },
      fence: () => {
        if (isLost) throw new Error('this process does not hold the lease');
      },
    });
    const call = put(agents, url, [Buffer.from('late')]);
    isLost = true;
    await expect(call).rejects.toThrow('this process does not hold the lease');
    expect(arrived).toEqual({ requests: 0, bytes: 0, whole: 0 });
    agents.close();
    end();
  });

  test('is asked for each piece: a body that is half sent is never complete, and the connection is gone', async () => {
    const { url, arrived, held, end } = await receiver();
    let asked = 0;
    const agents = guardedAgents({
      policy: { allowLocal: true },
      fence: () => {
        asked += 1;
        if (asked > 10) throw new Error('this process does not hold the lease');
      },
    });
    await expect(put(agents, url, [Buffer.alloc(4 * 1024 * 1024)])).rejects.toThrow(
      'this process does not hold the lease',
    );
    await expect.poll(() => held.every(({ destroyed }) => destroyed)).toBe(true);
    expect(arrived.bytes).toBeLessThanOrEqual(10 * 64 * 1024);
    expect(arrived.whole).toBe(0);
    agents.close();
    end();
  });

  test('lets everything through while it says nothing, on one connection', async () => {
    const { url, arrived, held, end } = await receiver();
    const agents = guardedAgents({ policy: { allowLocal: true }, fence: () => undefined });
    const body = [Buffer.alloc(3 * 1024 * 1024 + 1), Buffer.from('the end')];
    const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
    for (let call = 1; call <= 2; call++) {
      expect(await textOf(await put(agents, url, body))).toBe('ok');
      expect(arrived).toEqual({ requests: call, bytes: call * length, whole: call });
    }
    expect(held).toHaveLength(1);
    agents.close();
    end();
  });
});
