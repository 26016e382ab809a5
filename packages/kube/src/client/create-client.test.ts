// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../object.ts';
import type { Resource } from '../resource.ts';
import { json, scriptedTransport, text } from '../testing/scripted-transport.ts';
import { createClient } from './create-client.ts';

interface Thing extends KubeObject {
  readonly spec?: { readonly size?: number };
}
const things: Resource<Thing> = { group: 'x.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const nodes: Resource = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
const key = { namespace: 'ns', name: 'a' };

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
const thing: Thing = deepFreeze({ metadata: { namespace: 'ns', name: 'a', resourceVersion: '7' }, spec: { size: 1 } });

/** Runs one call and returns the request it made. */
async function requestOf(call: (client: ReturnType<typeof createClient>) => Promise<unknown>, answer: unknown = {}) {
  const transport = scriptedTransport(() => json(answer));
  await call(createClient(transport));
  const [request] = transport.requests;
  if (!request) throw new Error('no request was made');
  return { ...request, parsed: typeof request.body === 'string' ? JSON.parse(request.body) : undefined };
}

describe('requests', () => {
  test('get names the object and asks for JSON', async () => {
    const request = await requestOf((client) => client.resource(things).get(key));
    expect(request).toMatchObject({ method: 'GET', path: '/apis/x.io/v1/namespaces/ns/things/a' });
    expect(request.headers).toMatchObject({ accept: 'application/json', 'user-agent': 'etcd-operator-kube' });
    expect(request.headers).not.toHaveProperty('content-type');
  });

  test('cluster-scoped kinds have no namespace in the path, and a version can be asked for', async () => {
    const request = await requestOf((client) => client.resource(nodes).get({ name: 'n' }, { resourceVersion: '0' }));
    expect(request.path).toBe('/api/v1/nodes/n?resourceVersion=0');
  });

  test('every list option becomes a query parameter, and an empty resourceVersion stays', async () => {
    const request = await requestOf(
      (client) =>
        client.resource(things).list({
          namespace: 'ns',
          labelSelector: 'a in (b,c)',
          fieldSelector: 'metadata.name=x',
          limit: 5,
          resourceVersion: '',
          resourceVersionMatch: 'NotOlderThan',
        }),
      { metadata: {}, items: [] },
    );
    expect(request.path).toBe(
      '/apis/x.io/v1/namespaces/ns/things?labelSelector=a%20in%20(b%2Cc)&fieldSelector=metadata.name%3Dx&limit=5&resourceVersion=&resourceVersionMatch=NotOlderThan',
    );
  });

  test('create posts into the namespace with apiVersion and kind filled in, and leaves its argument alone', async () => {
    const request = await requestOf((client) =>
      client.resource(things).create(thing, { dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' }),
    );
    expect(request).toMatchObject({
      method: 'POST',
      path: '/apis/x.io/v1/namespaces/ns/things?dryRun=All&fieldManager=me&fieldValidation=Strict',
    });
    expect(request.parsed).toEqual({ apiVersion: 'x.io/v1', kind: 'Thing', ...thing });
    expect(request.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  test('replace puts the object with its own resourceVersion', async () => {
    const request = await requestOf((client) => client.resource(things).replace(thing));
    expect(request).toMatchObject({ method: 'PUT', path: '/apis/x.io/v1/namespaces/ns/things/a' });
    expect(request.parsed.metadata.resourceVersion).toBe('7');
  });

  test.each([
    [{ type: 'json', operations: [{ op: 'remove', path: '/spec' }] }, 'application/json-patch+json'],
    [{ type: 'merge', patch: { spec: null } }, 'application/merge-patch+json'],
    [{ type: 'strategic', patch: { spec: null } }, 'application/strategic-merge-patch+json'],
  ] as const)('patch %j has its content type', async (patch, contentType) => {
    const request = await requestOf((client) => client.resource(things).patch(key, patch));
    expect(request).toMatchObject({ method: 'PATCH', path: '/apis/x.io/v1/namespaces/ns/things/a' });
    expect(request.headers).toMatchObject({ 'content-type': contentType });
    expect(request.parsed).toEqual(patch.type === 'json' ? patch.operations : patch.patch);
  });

  test('apply sends the object as apply patch, with characters that YAML refuses escaped', async () => {
    const request = await requestOf((client) =>
      client
        .resource(things)
        .apply({ metadata: { ...key, labels: { a: '\u0085\u007f' } } }, { fieldManager: 'm', force: true }),
    );
    expect(request.path).toBe('/apis/x.io/v1/namespaces/ns/things/a?fieldManager=m&force=true');
    expect(request.headers).toMatchObject({ 'content-type': 'application/apply-patch+yaml' });
    expect(request.body).toContain('\\u0085\\u007f');
    expect(request.parsed).toMatchObject({ apiVersion: 'x.io/v1', kind: 'Thing', metadata: key });
  });

  test('delete carries its options in the body', async () => {
    const preconditions = { uid: 'u', resourceVersion: '3' };
    const request = await requestOf((client) =>
      client
        .resource(things)
        .delete(key, { preconditions, gracePeriodSeconds: 0, propagationPolicy: 'Foreground', dryRun: true }),
    );
    expect(request).toMatchObject({ method: 'DELETE', path: '/apis/x.io/v1/namespaces/ns/things/a' });
    expect(request.parsed).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions,
      gracePeriodSeconds: 0,
      propagationPolicy: 'Foreground',
      dryRun: ['All'],
    });
  });

  test('deleteCollection selects by query and never leaves the namespace out', async () => {
    const request = await requestOf((client) =>
      client.resource(things).deleteCollection({ namespace: 'ns', labelSelector: 'a=b' }),
    );
    expect(request).toMatchObject({
      method: 'DELETE',
      path: '/apis/x.io/v1/namespaces/ns/things?labelSelector=a%3Db',
    });
    const { resource } = createClient(scriptedTransport(() => json({})));
    await expect(resource(things).deleteCollection({})).rejects.toThrow('namespaced');
  });

  test('status and other subresources are reached below the object', async () => {
    const status = await requestOf((client) => client.resource(things).status.replace(key, thing));
    expect(status).toMatchObject({ method: 'PUT', path: '/apis/x.io/v1/namespaces/ns/things/a/status' });
    expect(status.parsed.kind).toBe('Thing');
    const applied = await requestOf((client) =>
      client.resource(things).status.apply(key, { metadata: key }, { fieldManager: 'm' }),
    );
    expect(applied.path).toBe('/apis/x.io/v1/namespaces/ns/things/a/status?fieldManager=m');
    expect(applied.parsed.kind).toBe('Thing');
    const evict = await requestOf((client) => client.resource(things).subresource('eviction').create(key, { a: 1 }));
    expect(evict).toMatchObject({ method: 'POST', path: '/apis/x.io/v1/namespaces/ns/things/a/eviction' });
    const scale = await requestOf((client) =>
      client.resource(things).subresource('scale').patch(key, { type: 'merge', patch: {} }),
    );
    expect(scale.path).toBe('/apis/x.io/v1/namespaces/ns/things/a/scale');
    const read = await requestOf((client) => client.resource(things).subresource('scale').get(key));
    expect(read).toMatchObject({ method: 'GET', path: '/apis/x.io/v1/namespaces/ns/things/a/scale' });
  });

  test.each(['', '.', '..'])('the name %j never reaches the server', async (name) => {
    const transport = scriptedTransport(() => json({}));
    const client = createClient(transport).resource(things);
    await expect(client.delete({ namespace: 'ns', name })).rejects.toThrow(TypeError);
    await expect(client.get({ namespace: name, name: 'a' })).rejects.toThrow(TypeError);
    expect(transport.requests).toEqual([]);
  });
});

describe('answers', () => {
  test('fields that no type knows survive', async () => {
    const raw = { metadata: { name: 'a', novel: { x: [1] } }, spec: { size: 1, fromTheFuture: true } };
    const client = createClient(scriptedTransport(() => json(raw)));
    expect(await client.resource(things).get(key)).toEqual(raw);
  });

  test('items of a list get the apiVersion and kind that the server left out', async () => {
    const client = createClient(
      scriptedTransport(() => json({ apiVersion: 'v1', kind: 'NodeList', metadata: {}, items: [{ spec: {} }] })),
    );
    const list = await client.resource(nodes).list();
    expect(list.items).toEqual([{ apiVersion: 'v1', kind: 'Node', spec: {} }]);
  });

  test('items null is an empty list', async () => {
    const client = createClient(scriptedTransport(() => json({ metadata: { resourceVersion: '1' }, items: null })));
    expect((await client.resource(nodes).list()).items).toEqual([]);
  });

  test('warnings of the server are reported with their request', async () => {
    const warnings: unknown[] = [];
    const client = createClient(
      scriptedTransport(() => json({}, 200, { warning: '299 - "old \\"kind\\"", 299 - "second"' })),
      { onWarning: (warning, request) => warnings.push([warning, request.method]) },
    );
    await client.resource(things).get(key);
    expect(warnings).toEqual([
      ['old "kind"', 'GET'],
      ['second', 'GET'],
    ]);
  });

  test.each(['', 'hello', '[1]', 'null', '"x"'])('a success with body %j is a BadResponse', async (body) => {
    const client = createClient(scriptedTransport(() => text(body)));
    await expect(client.resource(things).get(key)).rejects.toMatchObject({ code: 'BadResponse' });
  });

  test('a body beyond the limit is refused', async () => {
    const client = createClient(
      scriptedTransport(() => json({ a: 'x'.repeat(100) })),
      { maxBodyBytes: 50 },
    );
    await expect(client.resource(things).get(key)).rejects.toMatchObject({ code: 'BadResponse' });
  });
});

describe('paging', () => {
  const paged = (request: { readonly path: string }) => {
    const token = new URL(request.path, 'http://x').searchParams.get('continue');
    const next = { null: 'one', one: 'two', two: undefined }[String(token)];
    const metadata = { resourceVersion: '9', ...(next ? { continue: next } : {}) };
    return json({ metadata, items: [{ metadata: { name: String(token) } }] });
  };

  test('pages follows the token, without the version that the token carries', async () => {
    const transport = scriptedTransport(paged);
    const names: unknown[] = [];
    const options = { resourceVersion: '5', resourceVersionMatch: 'NotOlderThan', labelSelector: 'a' } as const;
    for await (const page of createClient(transport).resource(nodes).pages(options)) {
      names.push(...page.items.map((item) => item.metadata?.name));
    }
    expect(names).toEqual(['null', 'one', 'two']);
    expect(transport.requests.map((request) => request.path)).toEqual([
      '/api/v1/nodes?labelSelector=a&limit=500&resourceVersion=5&resourceVersionMatch=NotOlderThan',
      '/api/v1/nodes?labelSelector=a&limit=500&continue=one',
      '/api/v1/nodes?labelSelector=a&limit=500&continue=two',
    ]);
  });

  test('list without limit is everything, even from a server that pages unasked', async () => {
    const list = await createClient(scriptedTransport(paged)).resource(nodes).list();
    expect(list.items).toHaveLength(3);
    expect(list.metadata).toEqual({ resourceVersion: '9' });
  });

  test('list with limit is one page', async () => {
    const list = await createClient(scriptedTransport(paged)).resource(nodes).list({ limit: 1 });
    expect(list.items).toHaveLength(1);
    expect(list.metadata.continue).toBe('one');
  });

  test('a server that repeats a page is refused', async () => {
    const client = createClient(scriptedTransport(() => json({ metadata: { continue: 'x' }, items: [] })));
    await expect(client.resource(nodes).list()).rejects.toMatchObject({ code: 'BadResponse' });
  });
});
