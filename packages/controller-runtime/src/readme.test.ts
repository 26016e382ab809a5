// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '@etcd-operator/tools/markdown';
import { configMaps, createClient, events, leases } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { greetings, runGreetings } from './testing/readme-example.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A long limit for a busy machine. */
const patient = { timeout: 60_000, interval: 20 };

describe('the example in the README', () => {
  test('is the program that is compiled and run here', () => {
    const [shown] = blocksOf(join(import.meta.dirname, '../README.md')).filter(({ language }) => language === 'ts');
    expect(read('testing/readme-example.ts')).toBe(`// SPDX-License-Identifier: Apache-2.0\n${shown?.content}\n`);
  });

  test('is a complete controller: it installs its kind, creates, updates, heals, reports and hands its lease back', async () => {
    const server = createApiServer();
    endings.push(() => server.close());
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const client = createClient(server.transport());
    const stop = new AbortController();
    const ended = runGreetings(client, stop.signal);
    const textOf = async () =>
      (await client.resource(configMaps).get({ namespace: 'default', name: 'one-greeting' })).data?.['text'];
    const kind = client.resource(greetings.resource);
    const greeting = {
      apiVersion: 'example.com/v1',
      kind: 'Greeting',
      metadata: { namespace: 'default', name: 'one' },
    } as const;

    await vi.waitFor(() => kind.create({ ...greeting, spec: { name: 'world' } }), patient);
    await vi.waitFor(async () => expect(await textOf()).toBe('Hello, world!'), patient);
    await kind.patch({ namespace: 'default', name: 'one' }, { type: 'merge', patch: { spec: { name: 'moon' } } });
    await vi.waitFor(async () => expect(await textOf()).toBe('Hello, moon!'), patient);
    await client.resource(configMaps).delete({ namespace: 'default', name: 'one-greeting' });
    await vi.waitFor(async () => expect(await textOf()).toBe('Hello, moon!'), patient);
    await vi.waitFor(async () => {
      const { status } = await kind.get({ namespace: 'default', name: 'one' });
      expect(status?.text).toBe('Hello, moon!');
    }, patient);
    await vi.waitFor(async () => {
      const { items } = await client.resource(events).list({ namespace: 'default' });
      expect(items.map(({ reason, message }) => `${reason}: ${message}`)).toContain('Greeted: Hello, world!');
    }, patient);
    stop.abort();
    await ended;
    const lease = await client.resource(leases).get({ namespace: 'default', name: 'greetings' });
    expect(lease.spec?.holderIdentity ?? '').toBe('');
  }, 120_000);
});
