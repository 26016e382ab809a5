// SPDX-License-Identifier: Apache-2.0
import { type Client, type ConfigMap, configMaps, createClient, keyOf } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** The operator under test: for a ConfigMap with a name, it writes a greeting. */
async function greet(client: Client, map: ConfigMap): Promise<void> {
  const greeting = `Hello, ${map.data?.['name'] ?? 'world'}!`;
  if (map.data?.['greeting'] === greeting) return;
  const config = { metadata: keyOf(map), data: { greeting } };
  await client.resource(configMaps).apply(config, { fieldManager: 'greeter', force: true });
}

async function runGreeter(client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // After an error, everything is reconciled again.
    await greetAll(client, signal).catch(() => undefined);
  }
}

async function greetAll(client: Client, signal: AbortSignal): Promise<void> {
  for await (const event of client.resource(configMaps).watch({ labelSelector: 'greet', signal })) {
    if (event.type === 'ADDED' || event.type === 'MODIFIED') await greet(client, event.object);
  }
}

const server = createApiServer();
const admin = createClient(server.transport()).resource(configMaps);
const greeter = createClient(server.transport({ user: 'greeter', groups: ['system:masters'], client: 'greeter' }));
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  stop = new AbortController();
  running = runGreeter(greeter, stop.signal);
});

afterEach(async () => {
  stop.abort();
  server.faults.clear();
  await running;
});

async function greetingOf(name: string): Promise<string | undefined> {
  const metadata = { namespace: 'default', name: name.toLowerCase(), labels: { greet: '' } };
  await admin.create({ metadata, data: { name } });
  const read = async () => (await admin.get(metadata)).data?.['greeting'];
  await expect.poll(read, { timeout: 60_000 }).toBeDefined();
  return read();
}

test('a name gets a greeting', async () => {
  expect(await greetingOf('Ada')).toBe('Hello, Ada!');
});

test('also when the server fails, forgets to answer and breaks connections', async () => {
  server.faults.error({ client: 'greeter', verb: 'patch', count: 2 }, { code: 500 });
  server.faults.loseAnswer({ client: 'greeter', verb: 'patch', count: 1 });
  const cut = setInterval(() => server.faults.cutWatches({ client: 'greeter' }, 'reset'), 20);
  expect(await greetingOf('Grace')).toBe('Hello, Grace!');
  clearInterval(cut);
});
