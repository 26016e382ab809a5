// SPDX-License-Identifier: Apache-2.0
import { type ConfigMap, configMaps, createClient } from '@operator-parts/kube';
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { createApiServer } from './api-server.ts';

function start() {
  const server = createApiServer({ clock: new VirtualClock() });
  return { server, client: createClient(server.transport()).resource(configMaps) };
}

function configMap(name: string, data: Record<string, string> = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

describe('an object', () => {
  test('gets a uid, a version and a time when it is created, and is found again', async () => {
    const { client } = start();
    const made = await client.create(configMap('a', { x: '1' }));
    expect(made.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.metadata?.creationTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(await client.get({ namespace: 'default', name: 'a' })).toEqual(made);
  });

  test('cannot be replaced from an old version', async () => {
    const { client } = start();
    const made = await client.create(configMap('a'));
    await client.replace({ ...made, data: { x: '1' } });
    await expect(client.replace({ ...made, data: { x: '2' } })).rejects.toMatchObject({ code: 'Conflict' });
  });

  test('keeps its version when nothing changes', async () => {
    const { client } = start();
    const made = await client.create(configMap('a', { x: '1' }));
    const same = await client.replace(made);
    expect(same.metadata?.resourceVersion).toBe(made.metadata?.resourceVersion);
  });

  test('with a finalizer stays until the finalizer is taken off', async () => {
    const { client } = start();
    const key = { namespace: 'default', name: 'a' };
    const made = await client.create({
      ...configMap('a'),
      metadata: { ...configMap('a').metadata, finalizers: ['x.y/z'] },
    });
    await client.delete(key);
    const waiting = await client.get(key);
    expect(waiting.metadata?.deletionTimestamp).toBe('2026-01-01T00:00:00Z');
    await client.patch(key, { type: 'merge', patch: { metadata: { finalizers: null } } });
    await expect(client.get(key)).rejects.toMatchObject({ code: 'NotFound' });
    expect(made.metadata?.deletionTimestamp).toBeUndefined();
  });
});

describe('a watch', () => {
  test('sends the present objects, the end of them, and every change', async () => {
    const { client } = start();
    await client.create(configMap('a'));
    const stop = new AbortController();
    const seen: string[] = [];
    const events = client.watch({
      namespace: 'default',
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      signal: stop.signal,
    });
    for await (const event of events) {
      seen.push(
        event.type === 'BOOKMARK'
          ? `BOOKMARK ${event.initialEventsEnd}`
          : `${event.type} ${event.object.metadata?.name}`,
      );
      if (seen.length === 2) {
        await client.create(configMap('b'));
        await client.delete({ namespace: 'default', name: 'a' });
      }
      if (seen.length === 4) break;
    }
    expect(seen).toEqual(['ADDED a', 'BOOKMARK true', 'ADDED b', 'DELETED a']);
  });
});

describe('the feed', () => {
  test('tells the present objects first and each change before the write returns', async () => {
    const { server, client } = start();
    await client.create(configMap('a'));
    const seen: string[] = [];
    server.feed.subscribe(configMaps, ({ type, object }) => seen.push(`${type} ${object.metadata?.name}`));
    await client.create(configMap('b'));
    expect(seen).toEqual(['ADDED a', 'ADDED b']);
    expect(server.feed.list(configMaps).map((one) => one.metadata?.name)).toEqual(['a', 'b']);
  });
});

test('a refusal brings the warnings that came before it', async () => {
  const { server } = start();
  const { status, headers } = await server.transport().request({
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps',
    body: JSON.stringify({ ...configMap('a', { 'bad key': '1' }), stray: 1 }),
  });
  expect(status).toBe(422);
  expect(headers['warning']).toBe('299 - "unknown field \\"stray\\""');
});
