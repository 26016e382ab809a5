// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf, successOf } from '../../answer.ts';
import { customKind } from '../../custom-kind.ts';
import { invalid } from '../../invalid.ts';
import type { Subject } from '../../trial.ts';

const mapsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const dry = '?dryRun=All';

/** Dry-run writes, and unknown fields. */
export const dryRuns: Subject = {
  name: 'dry run and field validation',
  cases: {
    'a create that is tried is answered with what would be, without a version': async (t) => {
      const ns = await t.namespace();
      const { code, body } = await t.post(`${mapsIn(ns)}${dry}`, { metadata: { name: 'm' }, data: { a: '1' } });
      expect(code).toBe(201);
      expect(body).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } });
      expect(body.metadata).toMatchObject({ name: 'm', uid: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(body.metadata).not.toHaveProperty('resourceVersion');
      expect((await t.get(`${mapsIn(ns)}/m`)).code).toBe(404);
    },
    'a tried create of what is there is refused like a real one': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), { metadata: { name: 'm' } });
      expect(refusalOf(await t.post(`${mapsIn(ns)}${dry}`, { metadata: { name: 'm' } }))).toMatchObject({
        code: 409,
        reason: 'AlreadyExists',
      });
    },
    'a change that is tried is answered with what would be, under the present version': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(mapsIn(ns), { metadata: { name: 'm' }, data: { a: '1' } });
      const patched = await t.patch(`${mapsIn(ns)}/m${dry}`, 'merge', { data: { a: '2' } });
      expect(patched.body.data).toEqual({ a: '2' });
      expect(patched.body.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
      const replaced = await t.put(`${mapsIn(ns)}/m${dry}`, { metadata: { name: 'm' }, data: { b: '1' } });
      expect(replaced.body.data).toEqual({ b: '1' });
      expect(await t.read(`${mapsIn(ns)}/m`)).toEqual(made);
    },
    'a delete that is tried leaves the object': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(mapsIn(ns), { metadata: { name: 'm' } });
      expect((await t.delete(`${mapsIn(ns)}/m`, { dryRun: ['All'] })).code).toBe(200);
      expect(await t.read(`${mapsIn(ns)}/m`)).toEqual(made);
      expect((await t.delete(`${mapsIn(ns)}/m${dry}`)).code).toBe(200);
      expect(await t.read(`${mapsIn(ns)}/m`)).toEqual(made);
    },
    'a collection that is tried stays': async (t) => {
      const ns = await t.namespace();
      await t.make(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 's' } });
      expect((await t.delete(`/api/v1/namespaces/${ns}/secrets${dry}`)).code).toBe(200);
      expect((await t.list(`/api/v1/namespaces/${ns}/secrets`)).items).toHaveLength(1);
    },
    'an apply that is tried conflicts like a real one': async (t) => {
      const ns = await t.namespace();
      await t.make(`${mapsIn(ns)}?fieldManager=one`, { metadata: { name: 'm' }, data: { a: '1' } });
      const body = { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '2' } };
      expect((await t.patch(`${mapsIn(ns)}/m${dry}&fieldManager=two`, 'apply', body)).code).toBe(409);
    },
    'any other dry run is refused': async (t) => {
      const ns = await t.namespace();
      expect(refusalOf(await t.post(`${mapsIn(ns)}?dryRun=Some`, { metadata: { name: 'm' } }))).toEqual(
        invalid('CreateOptions.meta.k8s.io', '', 'dryRun: Unsupported value: ["Some"]: supported values: "All"'),
      );
    },
    'an unknown field is dropped, with a warning unless told otherwise': async (t) => {
      const ns = await t.namespace();
      const body = (name: string) => ({ metadata: { name, mine: 1 }, nope: 1 });
      const plain = await t.post(mapsIn(ns), body('a'));
      expect(plain.code).toBe(201);
      expect(plain.headers['warning']).toBe(
        '299 - "unknown field \\"metadata.mine\\"", 299 - "unknown field \\"nope\\""',
      );
      const ignored = await t.post(`${mapsIn(ns)}?fieldValidation=Ignore`, body('b'));
      expect(ignored.headers).not.toHaveProperty('warning');
      expect(ignored.body).not.toHaveProperty('nope');
    },
    'an unknown field is refused if asked to be strict': async (t) => {
      const ns = await t.namespace();
      const body = { metadata: { name: 'a', mine: 1 }, nope: 1 };
      expect(refusalOf(await t.post(`${mapsIn(ns)}?fieldValidation=Strict`, body))).toEqual(
        badRequest(
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.mine", unknown field "nope"',
        ),
      );
    },
    'an unknown field deep inside is told with its path': async (t) => {
      const ns = await t.podNamespace();
      const containers = [{ name: 'c', image: 'i', ports: [{ containerPort: 1, colour: 'red' }] }];
      const body = { metadata: { name: 'p' }, spec: { containers } };
      expect(refusalOf(await t.post(`/api/v1/namespaces/${ns}/pods?fieldValidation=Strict`, body)).message).toBe(
        'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].ports[0].colour"',
      );
    },
    'a key that is there twice is told, too': async (t) => {
      const ns = await t.namespace();
      const body = '{"metadata":{"name":"a"},"data":{"k":"1","k":"2"}}';
      const strict = await t.ask('POST', `${mapsIn(ns)}?fieldValidation=Strict`, { body });
      expect(refusalOf(strict).message).toBe(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.k"',
      );
      const plain = await t.ask('POST', mapsIn(ns), { body });
      expect(plain.body.data).toEqual({ k: '2' });
      expect(plain.headers['warning']).toBe('299 - "duplicate field \\"data.k\\""');
    },
    'a patch that adds an unknown field is judged the same': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), { metadata: { name: 'm' } });
      const answer = await t.patch(`${mapsIn(ns)}/m?fieldValidation=Strict`, 'merge', { nope: 1 });
      expect(refusalOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
      expect(refusalOf(answer).message).toMatch(/strict decoding error: unknown field "nope"$/);
    },
    'an unknown field of a custom kind is judged by its schema': async (t) => {
      const kind = await customKind(t, { spec: { type: 'object', properties: { a: { type: 'string' } } } });
      const ns = await t.namespace();
      const object = kind.object('w', { spec: { a: 'x', b: 'y' } });
      expect(refusalOf(await t.post(`${kind.path(ns)}?fieldValidation=Strict`, object))).toEqual(
        badRequest(
          `Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.b"`,
        ),
      );
      const warned = await t.post(kind.path(ns), object);
      expect(warned.headers['warning']).toBe('299 - "unknown field \\"spec.b\\""');
      expect(successOf(warned).spec).toEqual({ a: 'x' });
    },
    'any other validation is refused': async (t) => {
      const ns = await t.namespace();
      expect(refusalOf(await t.post(`${mapsIn(ns)}?fieldValidation=Maybe`, { metadata: { name: 'm' } }))).toEqual(
        invalid(
          'CreateOptions.meta.k8s.io',
          '',
          'fieldValidation: Unsupported value: "Maybe": supported values: "", "Ignore", "Strict", "Warn"',
        ),
      );
    },
  },
};
