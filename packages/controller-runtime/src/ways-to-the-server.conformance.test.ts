// SPDX-License-Identifier: Apache-2.0

import dns from 'node:dns';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  type ConfigMap,
  configMaps,
  type KubeObject,
  leases,
  type ObjectKey,
  type Resource,
  secrets,
  serviceAccounts,
} from '@operator-parts/kube';
import { silentLogger, systemClock, systemRandom } from '@operator-parts/ports';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createManager, Informer, type InformerOptions } from './index.ts';
import { tokenBoundTo } from './testing/bound-token.ts';
import { CuttableProxy } from './testing/cuttable-proxy.ts';
import { RealServer } from './testing/real-server.ts';

interface Review extends KubeObject {
  readonly status?: { readonly userInfo: { readonly username: string } };
}
const reviews: Resource<Review> = {
  ...{ group: 'authentication.k8s.io', version: 'v1', kind: 'SelfSubjectReview' },
  ...{ plural: 'selfsubjectreviews', namespaced: false },
};
const soon = { timeout: 60_000, interval: 50 };
let server: RealServer;
let admin: Client;
let folder: string;
const endings: (() => unknown)[] = [];

beforeAll(async () => {
  server = await RealServer.start();
  admin = server.client().client;
  folder = await mkdtemp(join(tmpdir(), 'ways-to-the-server-'));
}, 600_000);
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await server[Symbol.asyncDispose]();
});

function opened(...how: Parameters<RealServer['client']>): Client {
  const { client, close } = server.client(...how);
  endings.push(close);
  return client;
}

let made = 0;
/** Created by an administrator on another connection. */
async function make(): Promise<string> {
  const name = `made-${++made}`;
  await admin.resource(configMaps).create({ metadata: { namespace: 'default', name } });
  return name;
}

function informerOf(over: Client, options: Partial<InformerOptions<ConfigMap>> = {}) {
  const told: string[] = [];
  const informer = new Informer<ConfigMap>({
    ...{ resource: configMaps, reader: over.resource(configMaps), namespace: 'default' },
    ...{ clock: systemClock, random: systemRandom, log: silentLogger, idleLimit: 3000, ...options },
  });
  informer.addHandler({
    added: ({ metadata }) => void told.push(`+${metadata?.name}`),
    updated: (_, { metadata }) => void told.push(`~${metadata?.name}`),
    removed: ({ metadata }) => void told.push(`-${metadata?.name}`),
  });
  const start = () => {
    const stop = new AbortController();
    const ended = informer.run(stop.signal);
    const end = async () => {
      stop.abort();
      await ended;
    };
    endings.push(end);
    return end;
  };
  const hears = (name: string) => vi.waitFor(() => expect(told).toContain(`+${name}`), soon);
  return { informer, told, start, hears };
}

/** If the server sends nothing for longer than the idle limit, the watch is opened again from time to time. */
function isLive(informer: Informer<ConfigMap>): Promise<void> {
  return vi.waitFor(() => expect(informer.status.phase).toBe('live'), soon);
}

describe('an idle limit', () => {
  test('of many idle limits ends, and what was kept back in it is told once', async () => {
    await using proxy = await CuttableProxy.to(server.port);
    const { informer, told, start, hears } = informerOf(opened(proxy.port), { idleLimit: 1000 });
    start();
    await informer.whenSynced();
    proxy.hold();
    const kept = await make();
    // On a new connection, while the old one is still open and would deliver the same.
    await hears(kept);
    await systemClock.sleep(12_000);
    proxy.release();
    const later = await make();
    await hears(later);
    await isLive(informer);
    expect(told.filter((word) => word.slice(1) === kept)).toEqual([`+${kept}`]);
  });

  test('of renewals that are answered later than the deadline ends the tenure before another begins', async () => {
    await using proxy = await CuttableProxy.to(server.port);
    const election = (identity: string) => ({
      ...{ leaseName: 'slow', leaseNamespace: 'default', identity },
      ...{ leaseDuration: 4000, renewDeadline: 2500, retryPeriod: 400 },
    });
    const slow = createManager({ client: opened(proxy.port), leaderElection: election('slow') });
    slow.informer(configMaps);
    const events = slow.eventRecorder('slow');
    const stop = new AbortController();
    endings.push(() => stop.abort());
    const ended = slow.run(stop.signal);
    await vi.waitFor(() => expect(slow.leading).toBe(true), soon);
    const other = createManager({ client: admin, leaderElection: election('other') });
    const otherEnded = other.run(stop.signal);
    const both: number[] = [];
    const watching = setInterval(() => {
      if (slow.leading && other.leading) both.push(Date.now());
    }, 5);
    endings.push(() => clearInterval(watching));
    // Later than the deadline, before the lease has expired; a renewal that took too long is retried on a new
    // connection.
    proxy.delay = 3000;
    events.record({ kind: 'ConfigMap', metadata: { namespace: 'default', name: 'x' } }, 'Normal', 'Slow', 'slow');
    await expect(ended).rejects.toMatchObject({ name: 'LeadershipLost', code: 'deadline' });
    await expect(
      slow.client.resource(configMaps).create({ metadata: { namespace: 'default', name: 'late' } }),
    ).rejects.toMatchObject({ code: 'Aborted' });
    await vi.waitFor(() => expect(other.leading).toBe(true), soon);
    expect(both).toEqual([]);
    expect((await admin.resource(leases).get({ namespace: 'default', name: 'slow' })).spec?.holderIdentity).toBe(
      'other',
    );
    stop.abort();
    await otherEnded;
  });
});

describe('an informer that is stopped', () => {
  test('in the middle of its list starts again, as often as it likes', async () => {
    const before = await make();
    await using proxy = await CuttableProxy.to(server.port);
    const { informer, told, start, hears } = informerOf(opened(proxy.port));
    for (let round = 0; round < 5; round++) {
      const end = start();
      await systemClock.sleep(10 * round);
      proxy.hold();
      await end();
      proxy.cut();
      await make();
    }
    start();
    await informer.whenSynced();
    await hears(before);
    await hears(`made-${made}`);
    expect(new Set(told).size).toBe(told.length);
  });
});

describe('credentials that are rotated while a watch goes on', () => {
  const account: ObjectKey = { namespace: 'default', name: 'rotating' };

  async function refused(client: Client): Promise<void> {
    // The server caches a valid token for ten seconds.
    await vi.waitFor(async () => {
      const list = client.resource(configMaps).list({ namespace: 'default' });
      await expect(list).rejects.toMatchObject({ code: 'Unauthorized' });
    }, soon);
  }

  test('an exec plugin is asked again when the server refuses what it gave', async () => {
    await admin.resource(serviceAccounts).create({ metadata: account });
    const [old, next] = [
      await tokenBoundTo(admin, account, 'exec-old'),
      await tokenBoundTo(admin, account, 'exec-next'),
    ];
    const [program, answer] = [join(folder, 'login'), join(folder, 'answer')];
    const give = (token: string) =>
      writeFile(
        answer,
        JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }),
      );
    await give(old);
    await writeFile(program, `#!/bin/sh\necho asked >> ${folder}/asked\nexec cat ${answer}\n`);
    await chmod(program, 0o755);
    const plugin = {
      apiVersion: 'client.authentication.k8s.io/v1',
      ...{ command: program, args: [], env: {}, provideClusterInfo: false },
    } as const;
    await using proxy = await CuttableProxy.to(server.port);
    const over = opened(proxy.port, { kind: 'exec', plugin });
    const { informer, start, hears } = informerOf(over);
    start();
    await informer.whenSynced();
    await give(next);
    await admin.resource(secrets).delete({ namespace: 'default', name: 'exec-old' });
    await refused(opened(server.port, { kind: 'token', token: old }));
    // The open watch continues with the old token; the next one needs the new token.
    const during = await make();
    await hears(during);
    proxy.cut();
    await hears(await make());
    await isLive(informer);
    const written = await over.resource(configMaps).create({ metadata: { namespace: 'default', name: 'by-plugin' } });
    expect(written.metadata?.uid).toBeDefined();
  });

  test('a client certificate is read from its files again: the watch goes on, and the next one shows the new', async () => {
    const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    const replace = async (pair: { readonly cert: string; readonly key: string }) => {
      for (const [path, text] of [
        [key, pair.key],
        [cert, pair.cert],
      ] as const) {
        await writeFile(`${path}.new`, text);
        await rename(`${path}.new`, path);
      }
    };
    await replace(await server.authority.client('first'));
    await using proxy = await CuttableProxy.to(server.port);
    const files = { clientCertificate: { kind: 'file', path: cert }, clientKey: { kind: 'file', path: key } } as const;
    const over = opened(proxy.port, { kind: 'none' }, files);
    const { informer, start, hears } = informerOf(over);
    start();
    await informer.whenSynced();
    const whoAmI = async () => (await over.resource(reviews).create({ metadata: {} })).status?.userInfo.username;
    expect(await whoAmI()).toBe('first');
    await replace(await server.authority.client('second'));
    await hears(await make());
    proxy.cut();
    await hears(await make());
    // Files are read once a minute.
    await vi.waitFor(async () => expect(await whoAmI()).toBe('second'), { timeout: 120_000, interval: 1000 });
    await isLive(informer);
  });
});

describe('the server is reached', () => {
  test('through an HTTP proxy, for watches and writes', async () => {
    const asked: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket: Socket) => {
      asked.push(String(request.url));
      const upstream = connectTcp(server.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      for (const end of [socket, upstream]) end.on('error', () => undefined);
      endings.push(() => socket.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    endings.push(() => proxy.close());
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const over = opened(server.port, undefined, { proxyUrl });
    const { informer, start, hears } = informerOf(over);
    start();
    await informer.whenSynced();
    const name = 'through-a-proxy';
    await over.resource(configMaps).create({ metadata: { namespace: 'default', name } });
    await hears(name);
    expect(new Set(asked)).toEqual(new Set([`127.0.0.1:${server.port}`]));
  });

  test('by IPv6', async () => {
    await using proxy = await CuttableProxy.to(server.port, { host: '::1' });
    const over = opened(proxy.port, undefined, {
      server: `https://[::1]:${proxy.port}`,
      serverName: 'kubernetes.default.svc',
    });
    const { informer, start, hears } = informerOf(over);
    start();
    await informer.whenSynced();
    const name = 'by-ipv6';
    await over.resource(configMaps).create({ metadata: { namespace: 'default', name } });
    await hears(name);
    expect(proxy.connections).toBeGreaterThan(0);
  });

  test('where its name leads now, after it has led elsewhere', async () => {
    const first = await CuttableProxy.to(server.port, { host: '127.0.0.1' });
    await using second = await CuttableProxy.to(server.port, { host: '127.0.0.2', port: first.port });
    let address = '127.0.0.1';
    const lookup = vi.spyOn(dns, 'lookup') as unknown as { mockImplementation(by: (...call: never[]) => void): void };
    endings.push(() => vi.restoreAllMocks());
    const answers = (_name: string, options: { readonly all?: boolean }, callback: (...answer: unknown[]) => void) => {
      const found = { address, family: 4 };
      process.nextTick(() => (options.all ? callback(null, [found]) : callback(null, address, 4)));
    };
    lookup.mockImplementation(answers as never);
    const over = opened(first.port, undefined, {
      server: `https://api.test:${first.port}`,
      serverName: 'kubernetes.default.svc',
    });
    const { informer, start, hears } = informerOf(over);
    start();
    await informer.whenSynced();
    await hears(await make());
    address = '127.0.0.2';
    await first[Symbol.asyncDispose]();
    await hears(await make());
    expect(second.connections).toBeGreaterThan(0);
    await isLive(informer);
  });
});
