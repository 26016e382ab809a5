// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf, successOf } from '../../answer.ts';
import { type CustomKind, crdsPath, customKind, widgetDefinition } from '../../custom-kind.ts';
import { type Cause, invalid } from '../../invalid.ts';
import type { Subject, Trial } from '../../trial.ts';

/** A kind with this schema of `spec`, and a namespace for its objects. */
async function withSpec(t: Trial, properties: object, more: object = {}): Promise<[CustomKind, string]> {
  return [await customKind(t, { spec: { type: 'object', properties, ...more } }), await t.namespace()];
}

/** The stored spec of an object with this spec. */
async function kept(t: Trial, [kind, ns]: [CustomKind, string], spec: unknown): Promise<unknown> {
  const made = await t.make(kind.path(ns), kind.object(t.unique('w'), { spec }));
  return made.spec;
}

/** The error for an object with this spec. */
async function refused(t: Trial, [kind, ns]: [CustomKind, string], spec: unknown) {
  return refusalOf(await t.post(kind.path(ns), kind.object('w', { spec })));
}

const badWidget = (kind: CustomKind, ...causes: readonly Cause[]) => invalid(`Widget.${kind.group}`, 'w', ...causes);

/** Objects of custom kinds: defaults, what is dropped, what is refused. */
export const customObjects: Subject = {
  name: 'objects of custom kinds',
  cases: {
    'missing fields get their defaults, also inside of defaults': async (t) => {
      const widgets = await withSpec(t, {
        size: { type: 'integer', default: 3 },
        nested: {
          type: 'object',
          default: {},
          properties: { mode: { type: 'string', default: 'auto' } },
        },
        plain: { type: 'object', properties: { mode: { type: 'string', default: 'auto' } } },
      });
      expect(await kept(t, widgets, {})).toEqual({ size: 3, nested: { mode: 'auto' } });
      expect(await kept(t, widgets, { size: 5, plain: {} })).toEqual({
        size: 5,
        nested: { mode: 'auto' },
        plain: { mode: 'auto' },
      });
    },
    'items of lists and values of maps get their defaults': async (t) => {
      const item = { type: 'object', properties: { mode: { type: 'string', default: 'auto' } } };
      const widgets = await withSpec(t, {
        list: { type: 'array', items: item },
        map: { type: 'object', additionalProperties: item },
      });
      expect(await kept(t, widgets, { list: [{}, { mode: 'x' }], map: { a: {} } })).toEqual({
        list: [{ mode: 'auto' }, { mode: 'x' }],
        map: { a: { mode: 'auto' } },
      });
    },
    'null is dropped for a default, unless the field may be null': async (t) => {
      const widgets = await withSpec(t, {
        a: { type: 'string', default: 'x' },
        b: { type: 'string', nullable: true, default: 'x' },
        c: { type: 'string', nullable: true },
        d: { type: 'string' },
      });
      expect(await kept(t, widgets, { a: null, b: null, c: null })).toEqual({ a: 'x', b: null, c: null });
    },
    'null where none may be is dropped, inside of a list it is refused': async (t) => {
      const widgets = await withSpec(t, { a: { type: 'string' }, list: { type: 'array', items: { type: 'string' } } });
      expect(await kept(t, widgets, { a: null })).toEqual({});
      expect(await refused(t, widgets, { list: [null] })).toEqual(
        badWidget(widgets[0], [
          'spec.list[0]',
          'TypeInvalid',
          'Invalid value: "null": spec.list[0] in body must be of type string: "null"',
        ]),
      );
    },
    'a default of the status shows in objects that nobody has written one of': async (t) => {
      const status = {
        type: 'object',
        default: { seen: -1 },
        properties: { seen: { type: 'integer' }, phase: { type: 'string' } },
      };
      const kind = await customKind(t, { status, version: { subresources: { status: {} } } });
      const ns = await t.namespace();
      type Widget = { readonly metadata: { readonly generation: number }; readonly status?: object };
      const made = successOf(await t.post<Widget>(kind.path(ns), kind.object('w', { status: { phase: 'Lost' } })));
      expect(made.status).toEqual({ seen: -1 });
      expect((await t.read<Widget>(kind.path(ns, 'w'))).status).toEqual({ seen: -1 });
      const changed = await t.patch<Widget>(kind.path(ns, 'w'), 'merge', { spec: { size: 3 } });
      expect(successOf(changed)).toMatchObject({ metadata: { generation: 2 }, status: { seen: -1 } });
      // A field can be added, because the status is there.
      const added = [{ op: 'add', path: '/status/phase', value: 'Running' }];
      const written = successOf(await t.patch<Widget>(`${kind.path(ns, 'w')}/status`, 'json', added));
      expect(written).toMatchObject({ metadata: { generation: 2 }, status: { seen: -1, phase: 'Running' } });
    },
    'a default that is added later shows in objects that were stored before': async (t) => {
      const widgets = await withSpec(t, { a: { type: 'string' } });
      const [kind, ns] = widgets;
      await t.make(kind.path(ns), kind.object('w', { spec: {} }));
      const { metadata } = await t.read(`${crdsPath}/${kind.name}`);
      const spec = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string', default: 'new' } } };
      successOf(await t.put(`${crdsPath}/${kind.name}`, { ...widgetDefinition(kind.group, { spec }), metadata }));
      await t.eventually(async () => {
        expect((await t.read(kind.path(ns, 'w'))).spec).toEqual({ b: 'new' });
      });
    },
    'fields that the schema does not name are dropped': async (t) => {
      const widgets = await withSpec(t, { a: { type: 'object', properties: { b: { type: 'string' } } } });
      expect(await kept(t, widgets, { a: { b: 'x', c: 'y' }, d: 1 })).toEqual({ a: { b: 'x' } });
    },
    'fields are kept where the schema says so, and dropped again below what it names': async (t) => {
      const named = { type: 'object', properties: { known: { type: 'string' } } };
      const widgets = await withSpec(t, {
        named,
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      });
      const spec = { free: { any: { thing: [1] } }, named: { known: 'x', other: 1 } };
      expect(await kept(t, widgets, spec)).toEqual({ free: { any: { thing: [1] } }, named: { known: 'x' } });
    },
    'an embedded object keeps what belongs to every object': async (t) => {
      const embedded = {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
      };
      const widgets = await withSpec(t, { embedded });
      const object = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', labels: { a: 'b' } },
        spec: { a: 'x', b: 'y' },
      };
      expect(await kept(t, widgets, { embedded: object })).toEqual({
        embedded: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { a: 'b' } }, spec: { a: 'x' } },
      });
      expect(await refused(t, widgets, { embedded: { kind: 'Pod' } })).toEqual(
        badWidget(widgets[0], 'spec.embedded.apiVersion: Required value'),
      );
    },
    'an integer or a string takes both and nothing else': async (t) => {
      const widgets = await withSpec(t, { port: { 'x-kubernetes-int-or-string': true } });
      expect(await kept(t, widgets, { port: 80 })).toEqual({ port: 80 });
      expect(await kept(t, widgets, { port: 'http' })).toEqual({ port: 'http' });
      expect(await refused(t, widgets, { port: true })).toEqual(
        badWidget(widgets[0], [
          'spec.port',
          'TypeInvalid',
          'Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
        ]),
      );
    },
    'a wrong type is refused with both types': async (t) => {
      const widgets = await withSpec(t, {
        size: { type: 'integer' },
        names: { type: 'array', items: { type: 'string' } },
      });
      expect(await refused(t, widgets, { size: 'x' })).toEqual(
        badWidget(widgets[0], [
          'spec.size',
          'TypeInvalid',
          'Invalid value: "string": spec.size in body must be of type integer: "string"',
        ]),
      );
      expect(await refused(t, widgets, { names: 'x' })).toEqual(
        badWidget(widgets[0], [
          'spec.names',
          'TypeInvalid',
          'Invalid value: "string": spec.names in body must be of type array: "string"',
        ]),
      );
      expect(await refused(t, widgets, { size: 1.5 })).toEqual(
        badWidget(
          widgets[0],
          ['spec.size', 'TypeInvalid', 'Invalid value: "number": spec.size in body must be of type integer: "number"'],
          '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.size',
        ),
      );
    },
    'a missing field that is required is refused': async (t) => {
      const widgets = await withSpec(t, { size: { type: 'integer' } }, { required: ['size'] });
      expect(await refused(t, widgets, {})).toEqual(badWidget(widgets[0], 'spec.size: Required value'));
    },
    'numbers, lengths, patterns and values out of a list are checked': async (t) => {
      const widgets = await withSpec(t, {
        size: { type: 'integer', minimum: 1, maximum: 7 },
        name: { type: 'string', minLength: 2, maxLength: 3 },
        code: { type: 'string', pattern: '^[a-z]+$' },
        mode: { type: 'string', enum: ['a', 'b'] },
        list: { type: 'array', maxItems: 1, items: { type: 'string' } },
        many: { type: 'integer', multipleOf: 5 },
      });
      const [kind] = widgets;
      expect(await refused(t, widgets, { size: 0 })).toEqual(
        badWidget(kind, 'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1'),
      );
      expect(await refused(t, widgets, { size: 8 })).toEqual(
        badWidget(kind, 'spec.size: Invalid value: 8: spec.size in body should be less than or equal to 7'),
      );
      expect(await refused(t, widgets, { name: 'a' })).toEqual(
        badWidget(kind, 'spec.name: Invalid value: "a": spec.name in body should be at least 2 chars long'),
      );
      expect(await refused(t, widgets, { name: 'long' })).toEqual(
        badWidget(kind, 'spec.name: Too long: may not be more than 3 bytes'),
      );
      expect(await refused(t, widgets, { code: 'A' })).toEqual(
        badWidget(kind, 'spec.code: Invalid value: "A": spec.code in body should match \'^[a-z]+$\''),
      );
      expect(await refused(t, widgets, { mode: 'c' })).toEqual(
        badWidget(kind, 'spec.mode: Unsupported value: "c": supported values: "a", "b"'),
      );
      expect(await refused(t, widgets, { list: ['a', 'b'] })).toEqual(
        badWidget(kind, 'spec.list: Too many: 2: must have at most 1 item'),
      );
      expect(await refused(t, widgets, { many: 7 })).toEqual(
        badWidget(kind, 'spec.many: Invalid value: 7: spec.many in body should be a multiple of 5'),
      );
    },
    'alternatives are checked': async (t) => {
      const widgets = await withSpec(
        t,
        { a: { type: 'string' }, b: { type: 'string' } },
        { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      );
      expect(await kept(t, widgets, { a: 'x' })).toEqual({ a: 'x' });
      const { code, details } = await refused(t, widgets, { a: 'x', b: 'y' });
      expect(code).toBe(422);
      expect(details).toMatchObject({
        causes: [
          {
            reason: 'FieldValueInvalid',
            message:
              'Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
            field: '<nil>',
          },
        ],
      });
    },
    'formats that are known are checked, others are not': async (t) => {
      const widgets = await withSpec(t, {
        at: { type: 'string', format: 'date-time' },
        id: { type: 'string', format: 'uuid' },
        any: { type: 'string', format: 'made-up' },
      });
      expect(await kept(t, widgets, { at: '2026-01-02T03:04:05Z', any: '?' })).toMatchObject({ any: '?' });
      expect(await refused(t, widgets, { at: 'yesterday' })).toEqual(
        badWidget(widgets[0], [
          'spec.at',
          'TypeInvalid',
          'Invalid value: "yesterday": spec.at in body must be of type date-time: "yesterday"',
        ]),
      );
    },
    'a set holds each value once, a keyed list each key': async (t) => {
      const item = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] };
      const widgets = await withSpec(t, {
        set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        map: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] },
      });
      expect(await refused(t, widgets, { set: ['a', 'b', 'a'] })).toEqual(
        badWidget(widgets[0], 'spec.set[2]: Duplicate value: "a"'),
      );
      expect(await refused(t, widgets, { map: [{ key: 'a' }, { key: 'a' }] })).toEqual(
        badWidget(widgets[0], 'spec.map[1]: Duplicate value: {"key":"a"}'),
      );
    },
    'several mistakes are told together': async (t) => {
      const widgets = await withSpec(t, { a: { type: 'integer' }, b: { type: 'string' } }, { required: ['c'] });
      const { details } = await refused(t, widgets, { a: 'x', b: 1 });
      const { causes } = details as { causes: { field: string }[] };
      expect(causes.map(({ field }) => field).toSorted()).toEqual(['spec.a', 'spec.b', 'spec.c']);
    },
    'a value that was stored before the schema forbade it may stay, but not be changed to another such': async (t) => {
      const widgets = await withSpec(t, { a: { type: 'integer' }, b: { type: 'integer' } });
      const [kind, ns] = widgets;
      await t.make(kind.path(ns), kind.object('w', { spec: { a: 1, b: 1 } }));
      const { metadata } = await t.read(`${crdsPath}/${kind.name}`);
      const spec = { type: 'object', properties: { a: { type: 'integer', minimum: 5 }, b: { type: 'integer' } } };
      successOf(await t.put(`${crdsPath}/${kind.name}`, { ...widgetDefinition(kind.group, { spec }), metadata }));
      await t.eventually(async () => expect((await refused(t, widgets, { a: 2 })).code).toBe(422));
      const { code, body } = await t.patch(kind.path(ns, 'w'), 'merge', { spec: { b: 2 } });
      expect({ code, spec: body.spec }).toEqual({ code: 200, spec: { a: 1, b: 2 } });
      expect(refusalOf(await t.patch(kind.path(ns, 'w'), 'merge', { spec: { a: 2 } }))).toEqual(
        badWidget(kind, 'spec.a: Invalid value: 2: spec.a in body should be greater than or equal to 5'),
      );
    },
    'a body of another kind is 422': async (t) => {
      const kind = await customKind(t);
      const ns = await t.namespace();
      expect(refusalOf(await t.post(kind.path(ns), { ...kind.object('w'), kind: 'Gadget' }))).toEqual(
        invalid(`Gadget.${kind.group}`, 'w', 'kind: Invalid value: "Gadget": must be Widget'),
      );
    },
    'a body must name kind and version': async (t) => {
      const kind = await customKind(t);
      const ns = await t.namespace();
      const { code, reason } = refusalOf(await t.post(kind.path(ns), { metadata: { name: 'w' } }));
      expect({ code, reason }).toEqual({ code: 400, reason: 'BadRequest' });
    },
    'generation counts changes of everything but metadata': async (t) => {
      const kind = await customKind(t);
      const ns = await t.namespace();
      const made = await t.make(kind.path(ns), kind.object('w', { spec: { a: 1 } }));
      expect(made.metadata.generation).toBe(1);
      const labelled = await t.patch(kind.path(ns, 'w'), 'merge', { metadata: { labels: { x: 'y' } } });
      expect(labelled.body.metadata.generation).toBe(1);
      const changed = await t.patch(kind.path(ns, 'w'), 'merge', { spec: { a: 2 } });
      expect(changed.body.metadata.generation).toBe(2);
      const status = await t.patch(kind.path(ns, 'w'), 'merge', { status: { b: 1 } });
      expect(status.body.metadata.generation).toBe(3);
    },
    'a replacement must carry the version': async (t) => {
      const kind = await customKind(t);
      const ns = await t.namespace();
      await t.make(kind.path(ns), kind.object('w'));
      expect(refusalOf(await t.put(kind.path(ns, 'w'), kind.object('w')))).toEqual(
        invalid(
          `widgets.${kind.group}`,
          'w',
          'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
        ),
      );
    },
    'chosen fields can be selected': async (t) => {
      const spec = { type: 'object', properties: { color: { type: 'string' } } };
      const kind = await customKind(t, { spec, version: { selectableFields: [{ jsonPath: '.spec.color' }] } });
      const ns = await t.namespace();
      await t.make(kind.path(ns), kind.object('a', { spec: { color: 'red' } }));
      await t.make(kind.path(ns), kind.object('b', { spec: { color: 'blue' } }));
      const { items } = await t.list(`${kind.path(ns)}?fieldSelector=spec.color%3Dblue`);
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['b']);
      expect(refusalOf(await t.get(`${kind.path(ns)}?fieldSelector=spec.none%3Dx`))).toEqual(
        badRequest('field label not supported: spec.none'),
      );
    },
    'a kind without a namespace lives in none': async (t) => {
      const kind = await customKind(t, { scope: 'Cluster' });
      const made = await t.make(kind.path(''), kind.object('w'));
      expect(made.metadata).not.toHaveProperty('namespace');
      expect((await t.get(`/apis/${kind.group}/v1/namespaces/default/widgets`)).code).toBe(404);
    },
  },
};
