// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import { customKind } from '../../custom-kind.ts';
import type { Subject } from '../../trial.ts';

const mapsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

/** Field managers, as stored by the server. */
export const managedFields: Subject = {
  name: 'managed fields',
  cases: {
    'a create is kept under the manager that the query names': async (t) => {
      const ns = await t.namespace();
      // The server takes two timestamps: they may be in different seconds.
      await t.eventually(async () => {
        const { metadata } = await t.make(`${mapsIn(ns)}?fieldManager=me`, {
          metadata: { name: t.unique('m'), labels: { a: '1' }, annotations: { b: '2' }, finalizers: ['example.com/f'] },
          data: { key: 'value' },
        });
        expect(metadata.managedFields).toEqual([
          {
            manager: 'me',
            operation: 'Update',
            apiVersion: 'v1',
            time: metadata.creationTimestamp,
            fieldsType: 'FieldsV1',
            fieldsV1: {
              'f:data': { '.': {}, 'f:key': {} },
              'f:metadata': {
                'f:annotations': { '.': {}, 'f:b': {} },
                'f:finalizers': { '.': {}, 'v:"example.com/f"': {} },
                'f:labels': { '.': {}, 'f:a': {} },
              },
            },
          },
        ]);
      });
    },
    'without a name the manager is the first part of the user agent': async (t) => {
      const ns = await t.namespace();
      const headers = { 'user-agent': 'my-tool/v1.2 (linux/amd64)' };
      const body = { metadata: { name: 'm' }, data: { a: '1' } };
      const { body: made } = await t.ask('POST', mapsIn(ns), { body, headers });
      expect(made.metadata.managedFields?.[0]?.manager).toBe('my-tool');
    },
    'an object whose create set nothing that is tracked has no entry': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(mapsIn(ns), { metadata: { name: 'm' } });
      expect(metadata).not.toHaveProperty('managedFields');
    },
    'another writer gets an entry for what it changed': async (t) => {
      const ns = await t.namespace();
      await t.make(`${mapsIn(ns)}?fieldManager=one`, { metadata: { name: 'm' }, data: { a: '1', b: '2' } });
      const { body } = await t.patch(`${mapsIn(ns)}/m?fieldManager=two`, 'merge', { data: { b: 'x', c: '3' } });
      const owned = body.metadata.managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1]);
      expect(owned).toEqual([
        ['one', { 'f:data': { '.': {}, 'f:a': {} } }],
        ['two', { 'f:data': { 'f:b': {}, 'f:c': {} } }],
      ]);
    },
    'a field that is removed belongs to no manager': async (t) => {
      const ns = await t.namespace();
      await t.make(`${mapsIn(ns)}?fieldManager=one`, { metadata: { name: 'm' }, data: { a: '1', b: '2' } });
      const { body } = await t.patch(`${mapsIn(ns)}/m?fieldManager=two`, 'merge', { data: { b: null } });
      const owned = body.metadata.managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1]);
      expect(owned).toEqual([['one', { 'f:data': { '.': {}, 'f:a': {} } }]]);
    },
    'a write through a subresource has an entry of its own': async (t) => {
      const kind = await customKind(t, { version: { subresources: { status: {} } } });
      const ns = await t.namespace();
      await t.make(`${kind.path(ns)}?fieldManager=me`, kind.object('w', { spec: { size: 1 } }));
      const path = `${kind.path(ns, 'w')}/status?fieldManager=me`;
      const { body } = await t.patch(path, 'merge', { status: { phase: 'x' } });
      expect(body.metadata.managedFields).toMatchObject([
        { manager: 'me', operation: 'Update', fieldsV1: { 'f:spec': { '.': {}, 'f:size': {} } } },
        {
          manager: 'me',
          operation: 'Update',
          subresource: 'status',
          fieldsV1: { 'f:status': { '.': {}, 'f:phase': {} } },
        },
      ]);
    },
    'a replacement without managed fields keeps those of others': async (t) => {
      const ns = await t.namespace();
      await t.make(`${mapsIn(ns)}?fieldManager=one`, { metadata: { name: 'm' }, data: { a: '1' } });
      const body = { metadata: { name: 'm' }, data: { a: '1', b: '2' } };
      const { metadata } = successOf(await t.put(`${mapsIn(ns)}/m?fieldManager=two`, body));
      expect(metadata.managedFields?.map(({ manager }) => manager)).toEqual(['one', 'two']);
    },
    'a list with one empty entry resets them': async (t) => {
      const ns = await t.namespace();
      await t.make(`${mapsIn(ns)}?fieldManager=one`, { metadata: { name: 'm' }, data: { a: '1' } });
      const patch = { metadata: { managedFields: [{}] } };
      const { code, body } = await t.patch(`${mapsIn(ns)}/m?fieldManager=two`, 'merge', patch);
      expect(code).toBe(200);
      expect(body.metadata).not.toHaveProperty('managedFields');
    },
    'after a reset an applied object conflicts with what was there before': async (t) => {
      const ns = await t.namespace();
      await t.make(`${mapsIn(ns)}?fieldManager=one`, { metadata: { name: 'm' }, data: { a: '1' } });
      await t.patch(`${mapsIn(ns)}/m`, 'merge', { metadata: { managedFields: [{}] } });
      const body = { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'x' } };
      expect(refusalOf(await t.patch(`${mapsIn(ns)}/m?fieldManager=two`, 'apply', body))).toMatchObject({
        code: 409,
        message: 'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
      });
    },
    'defaults belong to the creator of the object': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(`/api/v1/namespaces/${ns}/services?fieldManager=me`, {
        metadata: { name: 's' },
        spec: { ports: [{ port: 80 }], selector: { app: 'a' } },
      });
      expect(metadata.managedFields?.[0]?.fieldsV1).toEqual({
        'f:spec': {
          'f:internalTrafficPolicy': {},
          'f:ports': {
            '.': {},
            'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:protocol': {}, 'f:targetPort': {} },
          },
          'f:selector': {},
          'f:sessionAffinity': {},
          'f:type': {},
        },
      });
    },
  },
};
