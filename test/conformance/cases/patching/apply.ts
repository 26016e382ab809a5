// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf, successOf } from '../../answer.ts';
import { customKind } from '../../custom-kind.ts';
import { invalid } from '../../invalid.ts';
import type { Subject, Trial } from '../../trial.ts';

const map = (fields: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, ...fields });

/** The path of a ConfigMap that does not exist yet. */
async function mapPath(t: Trial): Promise<string> {
  return `/api/v1/namespaces/${await t.namespace()}/configmaps/m`;
}

const apply = (t: Trial, path: string, manager: string, body: unknown, query = '') =>
  t.patch(`${path}?fieldManager=${manager}${query}`, 'apply', body);

const deployment = (containers: readonly object[], spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers } },
    ...spec,
  },
});

/** Server-side apply. */
export const applying: Subject = {
  name: 'server-side apply',
  cases: {
    'an object that is not there is created': async (t) => {
      const path = await mapPath(t);
      const { code, body } = await apply(t, path, 'one', map({ data: { a: '1' } }));
      expect(code).toBe(201);
      expect(body.data).toEqual({ a: '1' });
      expect(body.metadata.managedFields).toMatchObject([
        {
          manager: 'one',
          operation: 'Apply',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:a': {} } },
        },
      ]);
    },
    'the body may be YAML': async (t) => {
      const path = await mapPath(t);
      const { code, body } = await apply(
        t,
        path,
        'one',
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n  a: "1"\n',
      );
      expect(code).toBe(201);
      expect(body.data).toEqual({ a: '1' });
    },
    'the same again changes nothing': async (t) => {
      const path = await mapPath(t);
      const first = await apply(t, path, 'one', map({ data: { a: '1' } }));
      const second = await apply(t, path, 'one', map({ data: { a: '1' } }));
      expect(second.code).toBe(200);
      expect(second.body).toEqual(first.body);
    },
    'what a manager no longer names is removed': async (t) => {
      const path = await mapPath(t);
      await apply(t, path, 'one', map({ data: { a: '1', b: '2' } }));
      const { body } = await apply(t, path, 'one', map({ data: { b: '2' } }));
      expect(body.data).toEqual({ b: '2' });
    },
    'a manager that removes all its labels keeps the rest of the metadata': async (t) => {
      const path = await mapPath(t);
      await apply(t, path, 'one', map({ metadata: { name: 'm', labels: { a: '1' } }, data: { a: '1' } }));
      const { code, body } = await apply(t, path, 'one', map({ data: { a: '1' } }));
      expect(code).toBe(200);
      expect(body.metadata).toMatchObject({ name: 'm', uid: expect.any(String) });
      expect(body.metadata.labels).toBeUndefined();
    },
    'a manager that removes everything is removed from managedFields': async (t) => {
      const path = await mapPath(t);
      await apply(t, path, 'one', map({ data: { a: '1' } }));
      await apply(t, path, 'two', map({ data: { b: '2' } }));
      const { body } = await apply(t, path, 'one', map());
      expect(body.data).toEqual({ b: '2' });
      expect(body.metadata.managedFields).toMatchObject([{ manager: 'two' }]);
    },
    'conflicts with one manager name fields before what lies deeper': async (t) => {
      const path = `/apis/apps/v1/namespaces/${await t.namespace()}/deployments/d`;
      const container = { name: 'c', image: 'i', env: [{ name: 'A', value: '1' }] };
      await apply(t, path, 'one', deployment([container], { replicas: 1 }));
      const other = { name: 'c', image: 'j', env: [{ name: 'A', value: '2' }] };
      const { details } = refusalOf(await apply(t, path, 'two', deployment([other], { replicas: 2 })));
      expect((details as { causes: { field: string }[] }).causes.map(({ field }) => field)).toEqual([
        '.spec.replicas',
        '.spec.template.spec.containers[name="c"].image',
        '.spec.template.spec.containers[name="c"].env[name="A"].value',
      ]);
    },
    'a field of two managers is kept until both have removed it': async (t) => {
      const path = await mapPath(t);
      await apply(t, path, 'one', map({ data: { a: '1', b: '2' } }));
      await apply(t, path, 'two', map({ data: { a: '1' } }));
      const first = await apply(t, path, 'one', map({ data: { b: '2' } }));
      expect(first.body.data).toEqual({ a: '1', b: '2' });
      const second = await apply(t, path, 'two', map());
      expect(second.body.data).toEqual({ b: '2' });
    },
    'what another manager has set otherwise is a conflict that names the field and its manager': async (t) => {
      const path = await mapPath(t);
      await apply(t, path, 'one', map({ data: { a: '1', b: '2' } }));
      expect(refusalOf(await apply(t, path, 'two', map({ data: { a: 'x', b: 'y' } })))).toEqual({
        code: 409,
        reason: 'Conflict',
        message: 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b',
        details: {
          causes: [
            { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' },
            { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.b' },
          ],
        },
      });
    },
    'a conflict with a manager that did not apply tells its version and the time it wrote': async (t) => {
      const path = await mapPath(t);
      await t.make(`${path.replace(/\/m$/, '')}?fieldManager=writer`, map({ data: { a: '1' } }));
      expect(refusalOf(await apply(t, path, 'two', map({ data: { a: 'x' } })))).toEqual({
        code: 409,
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "writer" using v1: .data.a',
        details: {
          causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "writer" using v1', field: '.data.a' }],
        },
      });
    },
    'force takes a field over': async (t) => {
      const path = await mapPath(t);
      await apply(t, path, 'one', map({ data: { a: '1', b: '2' } }));
      const { code, body } = await apply(t, path, 'two', map({ data: { a: 'x' } }), '&force=true');
      expect(code).toBe(200);
      expect(body.data).toEqual({ a: 'x', b: '2' });
      const owned = body.metadata.managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1]);
      expect(owned).toEqual([
        ['one', { 'f:data': { 'f:b': {} } }],
        ['two', { 'f:data': { 'f:a': {} } }],
      ]);
    },
    'setting the same value makes both owners, the second without a time as it changed nothing': async (t) => {
      const path = await mapPath(t);
      await apply(t, path, 'one', map({ data: { a: '1' } }));
      const { body } = await apply(t, path, 'two', map({ data: { a: '1' } }));
      const owned = body.metadata.managedFields?.map(({ manager, time, fieldsV1 }) => [
        manager,
        time !== undefined,
        fieldsV1,
      ]);
      expect(owned).toEqual([
        ['two', false, { 'f:data': { 'f:a': {} } }],
        ['one', true, { 'f:data': { 'f:a': {} } }],
      ]);
    },
    'what another write has changed since is a conflict': async (t) => {
      const path = await mapPath(t);
      await apply(t, path, 'one', map({ data: { a: '1' } }));
      await t.patch(`${path}?fieldManager=hand`, 'merge', { data: { a: 'x' } });
      expect(refusalOf(await apply(t, path, 'one', map({ data: { a: '1' } })))).toMatchObject({
        code: 409,
        message: 'Apply failed with 1 conflict: conflict with "hand" using v1: .data.a',
      });
    },
    'items of a keyed list are owned one by one': async (t) => {
      const ns = await t.namespace();
      const path = `/apis/apps/v1/namespaces/${ns}/deployments/d`;
      await apply(t, path, 'one', deployment([{ name: 'a', image: 'i:1' }]));
      const { body } = await apply(t, path, 'two', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { template: { spec: { containers: [{ name: 'b', image: 'i:2' }] } } },
      });
      const { template } = body.spec as { template: { spec: { containers: { name: string }[] } } };
      expect(template.spec.containers.map(({ name }) => name)).toEqual(['a', 'b']);
      const two = body.metadata.managedFields?.find(({ manager }) => manager === 'two');
      expect(two?.fieldsV1).toEqual({
        'f:spec': {
          'f:template': {
            'f:spec': { 'f:containers': { 'k:{"name":"b"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
          },
        },
      });
    },
    'an item of a keyed list goes when its owner no longer names it': async (t) => {
      const ns = await t.namespace();
      const path = `/apis/apps/v1/namespaces/${ns}/deployments/d`;
      await apply(
        t,
        path,
        'one',
        deployment([
          { name: 'a', image: 'i' },
          { name: 'b', image: 'i' },
        ]),
      );
      const { body } = await apply(t, path, 'one', deployment([{ name: 'b', image: 'i' }]));
      const { template } = body.spec as { template: { spec: { containers: { name: string }[] } } };
      expect(template.spec.containers.map(({ name }) => name)).toEqual(['b']);
    },
    'the same key twice is refused': async (t) => {
      const ns = await t.namespace();
      const path = `/apis/apps/v1/namespaces/${ns}/deployments/d`;
      const { code, message } = refusalOf(
        await apply(
          t,
          path,
          'one',
          deployment([
            { name: 'a', image: 'i' },
            { name: 'a', image: 'j' },
          ]),
        ),
      );
      expect({ code, message }).toEqual({
        code: 500,
        message:
          'failed to create typed patch object (/d; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="a"]',
      });
    },
    'a set is merged by value': async (t) => {
      const path = await mapPath(t);
      const named = (finalizers: string[]) => map({ metadata: { name: 'm', finalizers } });
      await apply(t, path, 'one', named(['example.com/a']));
      const { body } = await apply(t, path, 'two', named(['example.com/b']));
      expect(body.metadata.finalizers).toEqual(['example.com/a', 'example.com/b']);
      const gone = await apply(t, path, 'one', map());
      expect(gone.body.metadata.finalizers).toEqual(['example.com/b']);
    },
    'a list that is atomic is owned as a whole': async (t) => {
      const ns = await t.namespace();
      const path = `/apis/apps/v1/namespaces/${ns}/deployments/d`;
      await apply(t, path, 'one', deployment([{ name: 'a', image: 'i', args: ['x', 'y'] }]));
      const { body } = await t.get(path);
      const [entry] = body.metadata.managedFields ?? [];
      expect(entry?.fieldsV1).toMatchObject({
        'f:spec': {
          'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': { 'f:args': {} } } } },
        },
      });
      const container = { name: 'a', args: ['z'] };
      const other = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        spec: { template: { spec: { containers: [container] } } },
      };
      expect(refusalOf(await apply(t, path, 'two', other))).toMatchObject({
        code: 409,
        details: { causes: [{ field: '.spec.template.spec.containers[name="a"].args' }] },
      });
    },
    'a field that the kind does not have is refused': async (t) => {
      const path = await mapPath(t);
      expect(refusalOf(await apply(t, path, 'one', map({ nope: 1 })))).toEqual({
        code: 500,
        message: 'failed to create typed patch object (/m; /v1, Kind=ConfigMap): .nope: field not declared in schema',
      });
    },
    'a manager is required and has at most 128 bytes': async (t) => {
      const path = await mapPath(t);
      expect(refusalOf(await t.patch(path, 'apply', map()))).toEqual(
        invalid('PatchOptions.meta.k8s.io', '', 'fieldManager: Required value: is required for apply patch'),
      );
      expect(refusalOf(await apply(t, path, 'x'.repeat(129), map()))).toEqual(
        invalid('PatchOptions.meta.k8s.io', '', 'fieldManager: Too long: may not be more than 128 bytes'),
      );
    },
    'an object that is not there cannot be applied without its name': async (t) => {
      const path = await mapPath(t);
      expect(refusalOf(await apply(t, path, 'one', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } }))).toEqual(
        badRequest('the name of the object (m based on URL) was undeterminable: name must be provided'),
      );
    },
    'kind and version are required': async (t) => {
      const path = await mapPath(t);
      expect(refusalOf(await apply(t, path, 'one', {}))).toEqual(badRequest('invalid object type: /, Kind='));
    },
    'the managed fields themselves cannot be applied': async (t) => {
      const path = await mapPath(t);
      await apply(t, path, 'one', map());
      expect(refusalOf(await apply(t, path, 'one', map({ metadata: { managedFields: [{}] } })))).toEqual(
        badRequest('metadata.managedFields must be nil'),
      );
    },
    'a UID is a precondition, also of there being an object': async (t) => {
      const path = await mapPath(t);
      const uid = '11111111-1111-4111-8111-111111111111';
      expect(refusalOf(await apply(t, path, 'one', map({ metadata: { name: 'm', uid } })))).toEqual({
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on configmaps "m": uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
        details: { name: 'm', kind: 'configmaps' },
      });
    },
    'the name in the body must be that of the path': async (t) => {
      const path = await mapPath(t);
      expect(refusalOf(await apply(t, path, 'one', map({ metadata: { name: 'other' } })))).toEqual(
        badRequest('the name of the object (other) does not match the name on the URL (m)'),
      );
    },
    'lists of a custom kind are merged as its schema says': async (t) => {
      const item = {
        type: 'object',
        properties: { key: { type: 'string' }, value: { type: 'string' } },
        required: ['key'],
      };
      const spec = {
        type: 'object',
        properties: {
          keyed: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] },
          set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
          atomic: { type: 'array', items: { type: 'string' } },
        },
      };
      const kind = await customKind(t, { spec });
      const ns = await t.namespace();
      const path = kind.path(ns, 'w');
      await apply(t, path, 'one', kind.object('w', { spec: { keyed: [{ key: 'a', value: '1' }], set: ['x'] } }));
      const two = kind.object('w', { spec: { keyed: [{ key: 'b', value: '2' }], set: ['y'], atomic: ['z'] } });
      const { body } = await apply(t, path, 'two', two);
      expect(body.spec).toEqual({
        keyed: [
          { key: 'a', value: '1' },
          { key: 'b', value: '2' },
        ],
        set: ['x', 'y'],
        atomic: ['z'],
      });
      const entry = body.metadata.managedFields?.find(({ manager }) => manager === 'two');
      expect(entry?.fieldsV1).toEqual({
        'f:spec': {
          'f:atomic': {},
          'f:keyed': { 'k:{"key":"b"}': { '.': {}, 'f:key': {}, 'f:value': {} } },
          'f:set': { 'v:"y"': {} },
        },
      });
    },
    'status is applied through its own path, and not through the other': async (t) => {
      const kind = await customKind(t, { version: { subresources: { status: {} } } });
      const ns = await t.namespace();
      const path = kind.path(ns, 'w');
      const both = kind.object('w', { spec: { size: 1 }, status: { phase: 'x' } });
      const first = successOf(await apply(t, path, 'one', both));
      expect(first).not.toHaveProperty('status');
      const { body } = await apply(t, `${path}/status`, 'one', kind.object('w', { status: { phase: 'y' } }));
      expect(body).toMatchObject({ spec: { size: 1 }, status: { phase: 'y' } });
      const entries = body.metadata.managedFields?.map(({ manager, operation, subresource }) => ({
        manager,
        operation,
        subresource,
      }));
      expect(entries).toEqual([
        { manager: 'one', operation: 'Apply', subresource: undefined },
        { manager: 'one', operation: 'Apply', subresource: 'status' },
      ]);
    },
    'null for a string is the empty string': async (t) => {
      const path = await mapPath(t);
      const { code, body } = await apply(t, path, 'one', map({ data: { a: '1', b: null } }));
      expect(code).toBe(201);
      expect(body.data).toEqual({ a: '1', b: '' });
    },
  },
};
