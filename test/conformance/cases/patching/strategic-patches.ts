// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import { customKind } from '../../custom-kind.ts';
import type { Subject, Trial } from '../../trial.ts';

interface Container {
  readonly name: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly object[];
}

/** A Deployment with the containers a and b; resolves with its path. */
async function deployment(t: Trial, spec: object = {}): Promise<string> {
  const ns = await t.namespace();
  const path = `/apis/apps/v1/namespaces/${ns}/deployments`;
  const env = [
    { name: 'ONE', value: '1' },
    { name: 'TWO', value: '2' },
  ];
  const containers = [
    { name: 'a', image: 'i:1', args: ['x', 'y'], env },
    { name: 'b', image: 'i:1' },
  ];
  const template = { metadata: { labels: { app: 'd' } }, spec: { containers } };
  const metadata = { name: 'd', finalizers: ['example.com/one', 'example.com/two'] };
  await t.make(path, { metadata, spec: { selector: { matchLabels: { app: 'd' } }, template, ...spec } });
  return `${path}/d`;
}

/** Patches the containers and resolves with the result. */
async function patched(t: Trial, path: string, podSpec: object): Promise<readonly Container[]> {
  const { spec } = successOf(await t.patch(path, 'strategic', { spec: { template: { spec: podSpec } } }));
  return (spec as { template: { spec: { containers: readonly Container[] } } }).template.spec.containers;
}

const names = (containers: readonly Container[]) => containers.map(({ name }) => name).join(' ');

/** Strategic merge patches: lists are merged by merge key, with directives. */
export const strategicPatches: Subject = {
  name: 'strategic patches',
  cases: {
    'items of a list are merged by their key, the others stay': async (t) => {
      const path = await deployment(t);
      const containers = await patched(t, path, { containers: [{ name: 'b', image: 'i:2' }] });
      expect(containers.map(({ name, image }) => `${name} ${image}`)).toEqual(['a i:1', 'b i:2']);
    },
    'lists inside of items are merged, too': async (t) => {
      const path = await deployment(t);
      const env = [
        { name: 'TWO', value: 'two' },
        { name: 'THREE', value: '3' },
      ];
      const [a] = await patched(t, path, { containers: [{ name: 'a', env }] });
      expect(a?.env).toEqual([
        { name: 'ONE', value: '1' },
        { name: 'TWO', value: 'two' },
        { name: 'THREE', value: '3' },
      ]);
    },
    'a new item comes first': async (t) => {
      const path = await deployment(t);
      expect(names(await patched(t, path, { containers: [{ name: 'c', image: 'i' }] }))).toBe('c a b');
    },
    'a list without a key is replaced': async (t) => {
      const path = await deployment(t);
      const [a] = await patched(t, path, { containers: [{ name: 'a', args: ['z'] }] });
      expect(a?.args).toEqual(['z']);
    },
    'null removes a field': async (t) => {
      const path = await deployment(t);
      const [a] = await patched(t, path, { containers: [{ name: 'a', args: null }] });
      expect(a).not.toHaveProperty('args');
    },
    '$patch: delete removes an item': async (t) => {
      const path = await deployment(t);
      expect(names(await patched(t, path, { containers: [{ $patch: 'delete', name: 'a' }] }))).toBe('b');
    },
    '$patch: replace in a list replaces all items': async (t) => {
      const path = await deployment(t);
      const containers = [{ name: 'c', image: 'i:3' }, { $patch: 'replace' }];
      expect(names(await patched(t, path, { containers }))).toBe('c');
    },
    '$patch: replace in an object replaces all its fields': async (t) => {
      const ns = await t.namespace();
      const path = `/api/v1/namespaces/${ns}/configmaps`;
      await t.make(path, { metadata: { name: 'm' }, data: { a: '1', b: '2' } });
      const { body } = await t.patch(`${path}/m`, 'strategic', { data: { $patch: 'replace', c: '3' } });
      expect(body.data).toEqual({ c: '3' });
    },
    '$patch: delete in an object empties it': async (t) => {
      const ns = await t.namespace();
      const path = `/api/v1/namespaces/${ns}/configmaps`;
      await t.make(path, { metadata: { name: 'm' }, data: { a: '1' } });
      const { body } = await t.patch(`${path}/m`, 'strategic', { data: { $patch: 'delete' } });
      expect(body).not.toHaveProperty('data');
    },
    '$setElementOrder puts items in order': async (t) => {
      const path = await deployment(t);
      const order = { '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }, { name: 'a' }] };
      expect(names(await patched(t, path, { ...order, containers: [{ name: 'c', image: 'i' }] }))).toBe('b c a');
    },
    '$deleteFromPrimitiveList removes values, the list itself adds them': async (t) => {
      const path = await deployment(t);
      const metadata = {
        '$deleteFromPrimitiveList/finalizers': ['example.com/one'],
        finalizers: ['example.com/three'],
      };
      const { body } = await t.patch(path, 'strategic', { metadata });
      expect(body.metadata.finalizers).toEqual(['example.com/three', 'example.com/two']);
    },
    '$retainKeys removes what it does not name': async (t) => {
      const path = await deployment(t);
      const strategy = { $retainKeys: ['type'], type: 'Recreate' };
      const { body } = await t.patch(path, 'strategic', { spec: { strategy } });
      expect(body.spec['strategy']).toEqual({ type: 'Recreate' });
    },
    'ports of a Service are merged by number': async (t) => {
      const ns = await t.namespace();
      const path = `/api/v1/namespaces/${ns}/services`;
      await t.make(path, {
        metadata: { name: 's' },
        spec: {
          ports: [
            { name: 'a', port: 1 },
            { name: 'b', port: 2 },
          ],
        },
      });
      const { body } = await t.patch(`${path}/s`, 'strategic', { spec: { ports: [{ port: 2, targetPort: 'x' }] } });
      expect(body.spec['ports']).toEqual([
        { name: 'a', protocol: 'TCP', port: 1, targetPort: 1 },
        { name: 'b', protocol: 'TCP', port: 2, targetPort: 'x' },
      ]);
    },
    'owners are merged by UID': async (t) => {
      const ns = await t.namespace();
      const path = `/api/v1/namespaces/${ns}/configmaps`;
      const owner = (uid: string, name = 'o') => ({ apiVersion: 'v1', kind: 'X', name, uid });
      await t.make(path, { metadata: { name: 'm', ownerReferences: [owner('1'), owner('2')] } });
      const ownerReferences = [
        { uid: '2', name: 'renamed' },
        { $patch: 'delete', uid: '1' },
      ];
      const { body } = await t.patch(`${path}/m`, 'strategic', { metadata: { ownerReferences } });
      expect(body.metadata.ownerReferences).toEqual([owner('2', 'renamed')]);
    },
    'an item without its key is refused': async (t) => {
      const path = await deployment(t);
      const patch = { spec: { template: { spec: { containers: [{ image: 'i:2' }] } } } };
      expect(refusalOf(await t.patch(path, 'strategic', patch))).toEqual({
        code: 500,
        message: 'map: map[image:i:2] does not contain declared merge key: name',
      });
    },
    'an unknown directive is refused': async (t) => {
      const ns = await t.namespace();
      const path = `/api/v1/namespaces/${ns}/configmaps`;
      await t.make(path, { metadata: { name: 'm' }, data: { a: '1' } });
      expect(refusalOf(await t.patch(`${path}/m`, 'strategic', { data: { $patch: 'bogus' } }))).toEqual({
        code: 500,
        message: 'unknown patch type: bogus in map: map[$patch:bogus]',
      });
    },
    'a value of the wrong type is 422': async (t) => {
      const ns = await t.namespace();
      const path = `/api/v1/namespaces/${ns}/configmaps`;
      await t.make(path, { metadata: { name: 'm' }, data: { a: '1' } });
      const message = 'Invalid value: "map[data:map[a:5]]": cannot convert int64 to string';
      expect(refusalOf(await t.patch(`${path}/m`, 'strategic', { data: { a: 5 } }))).toEqual({
        code: 422,
        reason: 'Invalid',
        message: ` "" is invalid: patch: ${message}`,
        details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
      });
    },
    'a custom kind has no strategic patch': async (t) => {
      const kind = await customKind(t);
      const ns = await t.namespace();
      await t.make(kind.path(ns), kind.object('w'));
      const types = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
      expect(refusalOf(await t.patch(kind.path(ns, 'w'), 'strategic', { spec: {} }))).toEqual({
        code: 415,
        reason: 'UnsupportedMediaType',
        message: `the body of the request was in an unknown format - accepted media types include: ${types}`,
      });
    },
  },
};
