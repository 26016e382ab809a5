// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, test } from 'vitest';
import { type NameAnswer, type NameServer, startNameServer } from '../testing/name-server.ts';
import { lookupHost, type NameSystem } from './lookup-host.ts';

const inCluster = 'search team-a.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n';
const table: Readonly<Record<string, NameAnswer>> = {
  'minio.storage.svc.cluster.local': ['10.96.0.20'],
  'store.example.com': ['192.0.2.1', '192.0.2.2'],
  'absolute.example.com': ['192.0.2.3'],
  'absolute.example.com.cluster.local': ['10.0.0.66'],
  'empty.example.com': [],
};

/** The answers of DNS servers for search domains to each type of query. */
const searched: Readonly<Record<string, Readonly<Record<string, NameAnswer>>>> = {
  '.dropped.corp': { A: undefined, AAAA: 'unresponsive' },
  '.unsupported.corp': { A: undefined, AAAA: 'unsupported' },
  '.refused.corp': { A: 'unsupported', AAAA: 'unsupported' },
};

let server: NameServer;
afterEach(() => server?.stop());

async function system(more: Partial<NameSystem> = {}): Promise<NameSystem> {
  server = await startNameServer((name, type) => {
    if (name.includes('never')) return 'unresponsive';
    const kind = Object.keys(searched).find((domain) => name.endsWith(domain));
    if (kind !== undefined) return searched[kind]?.[type];
    const found = table[name];
    return type === 'A' || found === undefined ? found : [];
  });
  return { hosts: () => '', resolvConf: () => inCluster, servers: [server.address], timeoutMs: 300, ...more };
}

describe('a host name is looked up', () => {
  test('with the search domains of the pod, as names of Services need it', async () => {
    expect(await lookupHost('minio.storage.svc', await system())).toEqual(['10.96.0.20']);
    expect(server.asked.filter((question) => question.endsWith(' A'))).toEqual([
      'minio.storage.svc.team-a.svc.cluster.local A',
      'minio.storage.svc.svc.cluster.local A',
      'minio.storage.svc.cluster.local A',
    ]);
  });

  test('as it is in the end, with all its addresses', async () => {
    expect(await lookupHost('store.example.com', await system())).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  test('as it is and nothing else if it ends with a dot', async () => {
    expect(await lookupHost('absolute.example.com.', await system())).toEqual(['192.0.2.3']);
    expect(server.asked.length).toBe(2);
  });

  test('as it is first if it has dots enough', async () => {
    const resolvConf = () => 'search cluster.local\n';
    expect(await lookupHost('absolute.example.com', await system({ resolvConf }))).toEqual(['192.0.2.3']);
  });

  test('in the file of hosts before a server is asked', async () => {
    const hosts = () => '# comment\n127.0.0.1\tlocalhost Store.Example.com # mine\n::1 localhost\n';
    expect(await lookupHost('store.example.com', await system({ hosts }))).toEqual(['127.0.0.1']);
    expect(await lookupHost('localhost', { hosts, resolvConf: () => '' })).toEqual(['127.0.0.1', '::1']);
    expect(server.asked).toEqual([]);
  });

  test.each([
    ['does not answer', 'never.corp'],
    ['says that the name does not exist, and nothing of IPv6', 'dropped.corp'],
    ['says that the name does not exist, and knows no IPv6', 'unsupported.corp'],
    ['knows neither question', 'refused.corp'],
  ])('as it is also if the server of a search domain %s', async (_, domain) => {
    const resolvConf = () => `search cluster.local ${domain} other.corp\noptions ndots:5\n`;
    expect(await lookupHost('store.example.com', await system({ resolvConf }))).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  test('without the further search domains after one did not answer, for they would take as long', async () => {
    const resolvConf = () => 'search never.corp other.corp\noptions ndots:5\n';
    await lookupHost('store.example.com', await system({ resolvConf }));
    expect(server.asked.filter((question) => question.includes('other.corp'))).toEqual([]);
  });

  const impossible = `${'a'.repeat(64)}.example.com`;

  test.each(['missing.example.com', 'empty.example.com', impossible, `${impossible}.`])(
    'and %s is not found',
    async (host) => {
      await expect(lookupHost(host, await system())).rejects.toMatchObject({ code: 'ENOTFOUND' });
    },
  );
});

describe('names without an answer', () => {
  test('fail after a while, and say so', async () => {
    await expect(lookupHost('never.example.com', await system())).rejects.toMatchObject({
      code: 'EAI_AGAIN',
      message: 'the name servers did not resolve the host name never.example.com (ETIMEOUT)',
    });
  });

  test('do not delay the lookups of others, however many there are', async () => {
    const names = await system();
    const hostile = Array.from({ length: 50 }, (_, index) => lookupHost(`never-${index}.example.com`, names));
    const all = Promise.allSettled(hostile);
    const first = await Promise.race([all.then(() => 'the others'), lookupHost('minio.storage.svc', names)]);
    expect(first).toEqual(['10.96.0.20']);
    expect((await all).every(({ status }) => status === 'rejected')).toBe(true);
  });
});
