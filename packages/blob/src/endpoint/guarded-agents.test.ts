// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
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
    await expect(get(agents, `${base}:${port}/`)).rejects.toThrow('instead of store.test; refused');
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
    // Whether anybody listens there, or the machine has IPv6 at all, is another matter.
    const answer = await get(agents, 'http://[::1]:1/').catch((error: unknown) => error);
    expect(String(answer)).not.toContain('refused');
    await expect(get(agents, 'http://[::2]:1/')).rejects.toThrow('instead of [::1]; refused');
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

test('an answer that is longer than it should be is not read', async () => {
  const agents = guardedAgents({ policy: { allowLocal: true } });
  const answer = await get(agents, `http://127.0.0.1:${port}/`);
  await expect(textOf(answer, 1)).rejects.toMatchObject({ code: 'Unknown' });
  agents.close();
});
