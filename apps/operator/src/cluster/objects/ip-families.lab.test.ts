// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePart, freePorts } from '@etcd-operator/tools';
import { clientPort, MemberClient, MemberEndpoints, metricsPort, peerPort } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdContainer } from './etcd-container.ts';

/** The loopback addresses of this machine: 127.0.0.1, and ::1 if it has IPv6. */
const loopbacks = (networkInterfaces()['lo'] ?? []).map(({ address }) => address);
const cleanUps = new AsyncDisposableStack();
let ports: { readonly client: number; readonly metrics: number };

/** A real etcd that listens like a member's container, on ports and in a folder of this test. */
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ip-families-'));
  cleanUps.defer(() => rm(folder, { recursive: true, force: true }));
  const [client = 0, peer = 0, metrics = 0] = await freePorts(3);
  ports = { client, metrics };
  const address = { host: 'localhost', peerUrl: `http://localhost:${peer}`, clientUrl: `http://localhost:${client}` };
  const { command = [], env = [] } = etcdContainer({
    ...{ name: 'a', image: 'x', version: '3.6.16', address, peerTLS: false, clientTLS: false, env: [], mounts: [] },
  });
  const own = (text: string) =>
    text
      .replace(`0.0.0.0:${clientPort}`, `0.0.0.0:${client}`)
      .replace(`0.0.0.0:${peerPort}`, `0.0.0.0:${peer}`)
      .replace(`0.0.0.0:${metricsPort}`, `0.0.0.0:${metrics}`)
      .replace('/var/etcd', folder)
      .replace('$(BOOT_CLUSTER)', `a=${address.peerUrl}`)
      .replace('$(BOOT_STATE)', 'new')
      .replace('$(BOOT_TOKEN)', 'ip-families');
  const [, ...args] = command.map(own);
  const given = Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, own(value)]])));
  const { programs } = await ensurePart('etcd@3.6', { fromPath: false });
  const child = spawn(programs['etcd'] ?? 'etcd', args, { env: given, stdio: 'ignore' });
  cleanUps.defer(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  });
});

afterAll(() => cleanUps.disposeAsync());

test.each(loopbacks)('a member serves clients and probes at %s: for etcd 0.0.0.0 is both IP families', async (host) => {
  const timeout = { timeout: 20_000 };
  const at = (port: number) => ({ target: { host, port }, clock: systemClock });
  const endpoints = new MemberEndpoints(at(ports.metrics));
  const isReady = async () => (await endpoints.readyz().catch(() => undefined))?.ok ?? false;
  await expect.poll(isReady, timeout).toBe(true);
  using client = new MemberClient(at(ports.client));
  expect((await client.cluster.memberList()).members.map(({ name }) => name)).toEqual(['a']);
});
