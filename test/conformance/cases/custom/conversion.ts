// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import type { Stored } from '../../caller.ts';
import { type CustomKind, crdsPath, customKind } from '../../custom-kind.ts';
import type { Subject, Trial } from '../../trial.ts';
import { type Converter, startWebhookServer } from '../../webhook-server.ts';

interface Person extends Stored {
  readonly spec: { readonly full?: string; readonly first?: string; readonly last?: string };
}

const text = { type: 'string' };
const schema = (properties: object) => ({
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties }, status: { type: 'object', properties: { note: text } } },
  },
});

/** Version 1 has whole names, version 2 their parts. */
const byName: Converter = (object, apiVersion) => {
  const { spec, ...rest } = object as Person;
  if (spec.full === 'nobody' || spec.first === 'nobody') throw new Error('nobody has no parts');
  const [first, last] = (spec.full ?? '').split(' ');
  const converted = apiVersion.endsWith('/v2') ? { first, last } : { full: `${spec.first} ${spec.last}` };
  return { ...rest, apiVersion, spec: converted };
};

/** A kind with two versions, the first of which is stored. Paths and objects have a version. */
async function people(t: Trial, converter: Converter = byName) {
  const server = await startWebhookServer();
  t.defer(async () => server[Symbol.asyncDispose]());
  const versions = [
    { name: 'v1', served: true, storage: true, schema: schema({ full: text }), subresources: { status: {} } },
    {
      name: 'v2',
      served: true,
      storage: false,
      schema: schema({ first: text, last: text }),
      subresources: { status: {} },
    },
  ];
  const webhook = { clientConfig: server.serveConversion(converter), conversionReviewVersions: ['v1'] };
  const kind = await customKind(t, { definition: { versions, conversion: { strategy: 'Webhook', webhook } } });
  t.defer(() => removeDefinition(t, kind));
  const ns = await t.namespace();
  const path = (version: string, name?: string) => kind.path(ns, name).replace('/v1/', `/${version}/`);
  await t.eventually(async () => successOf(await t.get(path('v2'))));
  const object = (version: string, name: string, spec: object, metadata: object = {}) => ({
    apiVersion: `${kind.group}/${version}`,
    kind: 'Widget',
    metadata: { name, ...metadata },
    spec,
  });
  return { kind, path, object };
}

/**
 * Before its webhook ends: otherwise a server that reads the objects again could never read them, and namespaces could
 * no longer be deleted.
 */
async function removeDefinition(t: Trial, { name }: CustomKind): Promise<void> {
  await t.delete(`${crdsPath}/${name}`);
  await t.eventually(async () => expect((await t.get(`${crdsPath}/${name}`)).code).toBe(404));
}

/** Versions of a custom kind that a webhook converts. */
export const conversion: Subject = {
  name: 'conversion of custom objects',
  cases: {
    'an object is read in the version of the path': async (t) => {
      const { path, object } = await people(t);
      await t.make(path('v1'), object('v1', 'ada', { full: 'Ada Lovelace' }));
      const read = await t.read<Person>(path('v2', 'ada'));
      expect(read.apiVersion).toMatch(/\/v2$/);
      expect(read.spec).toEqual({ first: 'Ada', last: 'Lovelace' });
      expect((await t.read<Person>(path('v1', 'ada'))).spec).toEqual({ full: 'Ada Lovelace' });
    },
    'an object can be made in a version that is not stored': async (t) => {
      const { path, object } = await people(t);
      const { code, body } = await t.post<Person>(path('v2'), object('v2', 'ada', { first: 'Ada', last: 'Lovelace' }));
      expect(code).toBe(201);
      expect(body.spec).toEqual({ first: 'Ada', last: 'Lovelace' });
      expect((await t.read<Person>(path('v1', 'ada'))).spec).toEqual({ full: 'Ada Lovelace' });
    },
    'metadata stay as they are in every version': async (t) => {
      const { path, object } = await people(t);
      const metadata = { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['example.com/x'] };
      const made = await t.make<Person>(path('v1'), object('v1', 'ada', { full: 'Ada Lovelace' }, metadata));
      t.defer(async () => void (await t.patch(path('v1', 'ada'), 'merge', { metadata: { finalizers: null } })));
      const { managedFields: _managers, ...kept } = made.metadata;
      expect((await t.read<Person>(path('v2', 'ada'))).metadata).toMatchObject(kept);
    },
    'a webhook may change labels and annotations, and nothing else of the metadata': async (t) => {
      const { path, object } = await people(t, (given, apiVersion) => {
        const metadata = { ...given.metadata, labels: { seen: 'yes' }, finalizers: ['example.com/never'] };
        return byName({ ...given, metadata }, apiVersion);
      });
      await t.make(path('v1'), object('v1', 'ada', { full: 'Ada Lovelace' }, { labels: { a: 'b' } }));
      const { metadata } = await t.read<Person>(path('v2', 'ada'));
      expect(metadata).toMatchObject({ labels: { seen: 'yes' } });
      expect(metadata).not.toHaveProperty('finalizers');
    },
    'a list is of one version': async (t) => {
      const { path, object } = await people(t);
      await t.make(path('v1'), object('v1', 'ada', { full: 'Ada Lovelace' }));
      await t.make(path('v2'), object('v2', 'grace', { first: 'Grace', last: 'Hopper' }));
      const { items } = await t.read<Stored & { items: Person[] }>(path('v2'));
      expect(items.map(({ spec }) => spec.first)).toEqual(['Ada', 'Grace']);
    },
    'a watch tells of changes in its own version': async (t) => {
      const { path, object } = await people(t);
      await t.make(path('v1'), object('v1', 'ada', { full: 'Ada Lovelace' }));
      const watch = await t.watch<Person>(`${path('v2')}?watch=true`);
      expect((await watch.next()).object.spec).toEqual({ first: 'Ada', last: 'Lovelace' });
      await t.patch(path('v1', 'ada'), 'merge', { spec: { full: 'Ada King' } });
      const { type, object: seen } = await watch.next();
      expect({ type, spec: seen.spec }).toEqual({ type: 'MODIFIED', spec: { first: 'Ada', last: 'King' } });
      await t.delete(path('v1', 'ada'));
      expect((await watch.next()).type).toBe('DELETED');
    },
    'a patch is of the version of the path': async (t) => {
      const { path, object } = await people(t);
      await t.make(path('v1'), object('v1', 'ada', { full: 'Ada Lovelace' }));
      const { body } = await t.patch<Person>(path('v2', 'ada'), 'merge', { spec: { last: 'Byron' } });
      expect(body.spec).toEqual({ first: 'Ada', last: 'Byron' });
      expect((await t.read<Person>(path('v1', 'ada'))).spec).toEqual({ full: 'Ada Byron' });
    },
    'a status is written in a version that is not stored': async (t) => {
      const { path, object } = await people(t);
      await t.make(path('v1'), object('v1', 'ada', { full: 'Ada Lovelace' }));
      successOf(await t.patch(`${path('v2', 'ada')}/status`, 'merge', { status: { note: 'well' } }));
      expect(await t.read<Person>(path('v1', 'ada'))).toMatchObject({
        spec: { full: 'Ada Lovelace' },
        status: { note: 'well' },
      });
    },
    'what the webhook refuses is not stored': async (t) => {
      const { kind, path, object } = await people(t);
      const { code, message } = refusalOf(await t.post(path('v2'), object('v2', 'x', { first: 'nobody', last: 'y' })));
      expect({ code, message }).toEqual({
        code: 500,
        message: `conversion webhook for ${kind.group}/v2, Kind=Widget failed: nobody has no parts`,
      });
      expect(refusalOf(await t.get(path('v1', 'x'))).code).toBe(404);
    },
  },
};
