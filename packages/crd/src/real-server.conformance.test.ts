// SPDX-License-Identifier: Apache-2.0
import { type ApiServer, startApiServer } from '@etcd-operator/tools';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitions } from './generated/embedded-types.ts';
import {
  crdOf,
  crdYaml,
  defineKind,
  type EmbeddableTypes,
  embedded,
  type Kind,
  type KindOf,
  object,
  optional,
  string,
} from './index.ts';
import { gadgets } from './testing/every-feature.ts';
import { refusals } from './testing/refusals.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const objects = '/apis/example.com/v1beta2/namespaces/default/gadgets';

type Gadget = KindOf<typeof gadgets>;

let server: ApiServer;

async function call(method: string, path: string, body?: unknown, contentType?: string) {
  const answer = await server.call(method, path, { body, ...(contentType && { contentType }) });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

/** Applies the kind and waits until it is served; resolves with the CRD as stored by the server. */
async function establish(kind: Kind) {
  const created = await call('POST', `${crds}?fieldValidation=Strict`, crdYaml(kind), 'application/yaml');
  expect(created.body.message ?? created.body.kind).toBe('CustomResourceDefinition');
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const { body } = await call('GET', `${crds}/${kind.plural}.${kind.group}`);
    const conditions: { type: string; status: string }[] = body.status?.conditions ?? [];
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${kind.kind} was not established within a minute`);
}

/** A create succeeds a moment after Established is reported; until then the server answers 404. */
async function create(spec: unknown, name = 'g', extra: object = {}, path = objects) {
  const body = { apiVersion: 'example.com/v1beta2', kind: 'Gadget', metadata: { name }, spec, ...extra };
  for (let attempt = 0; ; attempt += 1) {
    const answer = await call('POST', path, body);
    if (answer.status !== 404 || attempt === 1200) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a real API server', () => {
  let established: { status: { conditions: { type: string; status: string }[] }; spec: { versions: unknown[] } };

  beforeAll(async () => {
    server = await startApiServer();
    established = await establish(gadgets);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('establishes a kind that uses everything, with a structural schema, and keeps all of it', () => {
    const types = established.status.conditions.map(({ type, status }) => `${type}=${status}`);
    expect(types.sort()).toEqual(['Established=True', 'NamesAccepted=True']);
    expect(established.spec.versions).toEqual(JSON.parse(JSON.stringify(crdOf(gadgets).spec.versions)));
  });

  test('establishes a kind that embeds every type that can be embedded', async () => {
    const fields = Object.keys(definitions).map((key) => {
      const [version, name] = key.split(/\.(?=[A-Z])/) as ['core/v1', keyof EmbeddableTypes['core/v1']];
      return [name.toLowerCase(), optional(embedded(version, name))] as const;
    });
    const spec = object(Object.fromEntries(fields));
    const names = { group: 'example.com', version: 'v1', kind: 'Everything', plural: 'everythings' };
    const crd = await establish(defineKind({ ...names, scope: 'Cluster', spec }));
    const types = crd.status.conditions.map(({ type }: { type: string }) => type);
    expect(types.sort()).toEqual(['Established', 'NamesAccepted']);
    const container = { name: 'c', ports: [{ containerPort: 1 }] };
    const template = { metadata: { labels: { a: 'b' }, creationTimestamp: null }, spec: { containers: [container] } };
    const body = { apiVersion: 'example.com/v1', kind: 'Everything', metadata: { name: 'e' } };
    const made = await create({ podtemplatespec: template }, 'e', body, '/apis/example.com/v1/everythings');
    expect(made.body.spec.podtemplatespec).toEqual({
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', ports: [{ containerPort: 1, protocol: 'TCP' }] }] },
    });
  });

  test('sets defaults, drops unknown fields, and keeps those that are marked', async () => {
    const { status, body } = await create({
      size: 3,
      unknown: 1,
      notBefore: null,
      legacy: { known: 'a', older: { b: [1] } },
      extra: [{ anything: null }],
      resources: { limits: { cpu: 1, memory: '1Gi' } },
      ports: [{ name: 'client', number: 2379 }],
    });
    expect(status).toBe(201);
    const spec: Gadget['spec'] = body.spec;
    expect(spec).toEqual({
      size: 3,
      version: '3.6.16',
      mode: 'Safe',
      paused: false,
      memory: '1Gi',
      timeout: '90s',
      notBefore: null,
      pod: { replicas: 1 },
      legacy: { known: 'a', older: { b: [1] } },
      extra: [{ anything: null }],
      resources: { limits: { cpu: 1, memory: '1Gi' } },
      ports: [{ name: 'client', number: 2379, protocol: 'TCP' }],
    });
  });

  test.each([
    ['a rule with its own message', { size: 2 }, 'spec.size', 'FieldValueInvalid', 'must be odd, and is two'],
    [
      'a rule that blames a field',
      { size: 1, mode: 'Fast', paused: true },
      'spec.paused',
      'FieldValueForbidden',
      'only a safe one',
    ],
    ['a rule on a map', { size: 1, labels: { app: 'x' } }, 'spec.labels', 'FieldValueInvalid', 'the label app'],
    [
      'a choice',
      { size: 1, keep: 'Most' },
      'spec.keep',
      'FieldValueNotSupported',
      'supported values: "true", "false", "Some"',
    ],
    ['a maximum', { size: 9 }, 'spec.size', 'FieldValueInvalid', 'less than or equal to 7'],
    ['a pattern', { size: 1, version: 'v3' }, 'spec.version', 'FieldValueInvalid', 'should match'],
    ['a duration', { size: 1, timeout: '5 days' }, 'spec.timeout', 'FieldValueInvalid', 'should match'],
    ['a quantity', { size: 1, memory: '1 GB' }, 'spec.memory', 'FieldValueInvalid', 'should match'],
    [
      'a list key used twice',
      {
        size: 1,
        ports: [
          { name: 'a', number: 1 },
          { name: 'a', number: 2 },
        ],
      },
      'spec.ports[1]',
      'FieldValueDuplicate',
      'Duplicate',
    ],
    ['a set with a repeated item', { size: 1, zones: ['a', 'a'] }, 'spec.zones[1]', 'FieldValueDuplicate', 'Duplicate'],
    ['a missing field', {}, 'spec.size', 'FieldValueRequired', 'Required'],
  ])('refuses what breaks %s', async (_what, spec, field, reason, message) => {
    const { status, body } = await create(spec, 'refused');
    expect(status).toBe(422);
    const wanted = { field, reason, message: expect.stringContaining(message) };
    expect(body.details.causes).toContainEqual(wanted);
  });

  test('takes the booleans and the strings of a choice as they are', async () => {
    for (const keep of [true, false, 'Some']) {
      const { status, body } = await create({ size: 1, keep }, `keeps-${String(keep).toLowerCase()}`);
      expect({ status, keep: body.spec.keep }).toEqual({ status: 201, keep });
    }
  });

  test('refuses names that the declaration refuses', async () => {
    expect((await create({ size: 1 }, 'forbidden')).body.message).toContain('this name is taken');
    expect((await create({ size: 1 }, 'n'.repeat(53))).body.message).toContain('metadata.name');
  });

  test('compares with the old value on updates only', async () => {
    await create({ size: 3 }, 'old');
    const patch = (spec: object) => call('PATCH', `${objects}/old`, { spec }, 'application/merge-patch+json');
    expect((await patch({ size: 1 })).body.message).toContain('can only grow');
    expect((await patch({ size: 5 })).status).toBe(200);
    expect((await patch({ founder: 'a' })).status).toBe(200);
    expect((await patch({ founder: 'b' })).body.message).toContain('cannot be changed');
  });

  test('serves status, scale, selectable fields, short names and columns', async () => {
    await create({ size: 5, mode: 'Fast', founder: 'x' }, 'served', { status: { size: 9 } });
    const status = { phase: 'Running', size: 4, selector: 'a=b' };
    const written = await call('PATCH', `${objects}/served/status`, { status }, 'application/merge-patch+json');
    expect(written.body.status).toEqual(status);
    const scale = await call('GET', `${objects}/served/scale`);
    expect(scale.body).toMatchObject({ spec: { replicas: 5 }, status: { replicas: 4, selector: 'a=b' } });
    const selected = await call('GET', `${objects}?fieldSelector=spec.founder%3Dx`);
    expect(selected.body.items.map((item: Gadget) => item.metadata?.name)).toEqual(['served']);
    const { body: served } = await call('GET', '/apis/example.com/v1beta2');
    expect(served.resources[0]).toMatchObject({
      shortNames: ['gd'],
      categories: ['all', 'toys'],
      singularName: 'gadget',
    });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = JSON.parse((await server.call('GET', `${objects}/served`, { accept })).body);
    expect(table.columnDefinitions.map(({ name, type }: { name: string; type: string }) => `${name}:${type}`)).toEqual([
      'Name:string',
      'Size:integer',
      'Memory:string',
      'Ready:string',
      'Last success:date',
      'Age:date',
    ]);
    expect(table.rows[0].cells.slice(0, 4)).toEqual(['served', 5, '1Gi', null]);
  });

  test.each(refusals.filter(({ refusedByServer }) => refusedByServer))('refuses as well: $what', async ({ kind }) => {
    const { status, body } = await call('POST', `${crds}?dryRun=All`, crdOf(kind));
    expect(body.message ?? status).toMatch(/is invalid/);
  });

  test('takes a kind with a single string field', async () => {
    const spec = optional(object({ note: optional(string()) }));
    const kind = { group: 'example.com', version: 'v1', kind: 'Note', plural: 'notes' };
    const { spec: kept } = await establish(defineKind({ ...kind, scope: 'Cluster', spec }));
    expect(kept.scope).toBe('Cluster');
  });
});
