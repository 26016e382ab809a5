// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf, successOf } from '../../answer.ts';
import { modifiedRule } from '../../messages.ts';
import type { Subject } from '../../trial.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const second = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const mapsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const map = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more } });

/** The common behaviour of all kinds: create, read, replace, and resource versions. */
export const objects: Subject = {
  name: 'objects',
  cases: {
    'the network of a Node is in both of its fields': async (t) => {
      const path = '/api/v1/nodes?dryRun=All';
      const block = '10.1.0.0/24';
      for (const spec of [{ podCIDR: block }, { podCIDRs: [block] }]) {
        const made = await t.make(path, { metadata: { name: t.unique('node') }, spec });
        expect(made).toMatchObject({ spec: { podCIDR: block, podCIDRs: [block] } });
      }
    },
    'a created object is answered with 201, its kind, a random UID, a version and a time in whole seconds': async (
      t,
    ) => {
      const ns = await t.namespace();
      const { code, body } = await t.post(mapsIn(ns), { ...map('a'), data: { key: 'value' } });
      expect(code).toBe(201);
      const { uid, resourceVersion, creationTimestamp, managedFields, ...rest } = body.metadata;
      expect(uid).toMatch(uuid);
      expect(resourceVersion).toMatch(/^[1-9]\d*$/);
      expect(creationTimestamp).toMatch(second);
      expect(managedFields).toHaveLength(1);
      expect(rest).toEqual({ name: 'a', namespace: ns });
      expect({ ...body, metadata: undefined }).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', data: { key: 'value' } });
    },
    'a body without kind and apiVersion takes them from the path': async (t) => {
      const ns = await t.namespace();
      const { body } = await t.post(mapsIn(ns), { metadata: { name: 'a' } });
      expect(body).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    },
    'what was created is read back as it was answered': async (t) => {
      const ns = await t.namespace();
      const created = await t.make(mapsIn(ns), { ...map('a', { labels: { one: '1' } }), data: { key: 'value' } });
      const { code, body } = await t.get(`${mapsIn(ns)}/a`);
      expect(code).toBe(200);
      expect(body).toEqual(created);
    },
    'a second object of the same name is refused with 409 AlreadyExists': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a'));
      expect(refusalOf(await t.post(mapsIn(ns), map('a')))).toEqual({
        code: 409,
        reason: 'AlreadyExists',
        message: 'configmaps "a" already exists',
        details: { name: 'a', kind: 'configmaps' },
      });
    },
    'the same name is free in another namespace': async (t) => {
      const [one, other] = [await t.namespace(), await t.namespace()];
      const first = await t.make(mapsIn(one), map('a'));
      const second = await t.make(mapsIn(other), map('a'));
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
    },
    'what is not there is 404 NotFound with its name and resource': async (t) => {
      const ns = await t.namespace();
      const missing = {
        code: 404,
        reason: 'NotFound',
        message: 'configmaps "no" not found',
        details: { name: 'no', kind: 'configmaps' },
      };
      expect(refusalOf(await t.get(`${mapsIn(ns)}/no`))).toEqual(missing);
      expect(refusalOf(await t.delete(`${mapsIn(ns)}/no`))).toEqual(missing);
      expect(refusalOf(await t.put(`${mapsIn(ns)}/no`, map('no')))).toEqual(missing);
      expect(refusalOf(await t.patch(`${mapsIn(ns)}/no`, 'merge', {}))).toEqual(missing);
    },
    'what is not there in a group names the group': async (t) => {
      const ns = await t.namespace();
      expect(refusalOf(await t.get(`/apis/apps/v1/namespaces/${ns}/deployments/no`))).toEqual({
        code: 404,
        reason: 'NotFound',
        message: 'deployments.apps "no" not found',
        details: { name: 'no', group: 'apps', kind: 'deployments' },
      });
    },
    'a body whose namespace is not that of the path is 400': async (t) => {
      const ns = await t.namespace();
      expect(refusalOf(await t.post(mapsIn(ns), map('a', { namespace: 'default' })))).toEqual(
        badRequest('the namespace of the provided object does not match the namespace sent on the request'),
      );
    },
    'a body whose name is not that of the path is 400': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a'));
      expect(refusalOf(await t.put(`${mapsIn(ns)}/a`, map('b')))).toEqual(
        badRequest('the name of the object (b) does not match the name on the URL (a)'),
      );
    },
    'a replacement without a name is 400': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a'));
      const nameless = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} };
      expect(refusalOf(await t.put(`${mapsIn(ns)}/a`, nameless))).toEqual(
        badRequest('the name of the object (a based on URL) was undeterminable: name must be provided'),
      );
    },
    'a body of another kind is 400 and says which': async (t) => {
      const ns = await t.namespace();
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } };
      expect(refusalOf(await t.post(mapsIn(ns), secret))).toEqual(
        badRequest(
          'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
        ),
      );
    },
    'a body of an unknown version is 400': async (t) => {
      const ns = await t.namespace();
      const { code, reason, message } = refusalOf(await t.post(mapsIn(ns), { ...map('a'), apiVersion: 'v9' }));
      expect({ code, reason }).toEqual({ code: 400, reason: 'BadRequest' });
      expect(message).toMatch(
        /^ConfigMap in version "v9" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v9" in scheme /,
      );
    },
    'a body that is no JSON is 400': async (t) => {
      const ns = await t.namespace();
      const answer = await t.ask('POST', mapsIn(ns), { body: '{"metadata":' });
      expect(refusalOf(answer)).toEqual({
        code: 400,
        reason: 'BadRequest',
        message:
          "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; " +
          'json parse error: unexpected end of JSON input ({"metadata":)',
      });
    },
    'a value of the wrong type is 400 and names the field': async (t) => {
      const ns = await t.namespace();
      expect(refusalOf(await t.post(mapsIn(ns), { ...map('a'), data: { key: 1 } }))).toEqual(
        badRequest(
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
        ),
      );
    },
    'an empty body is 400': async (t) => {
      const ns = await t.namespace();
      const { code, reason } = refusalOf(await t.ask('POST', mapsIn(ns), { body: '' }));
      expect({ code, reason }).toEqual({ code: 400, reason: 'BadRequest' });
    },
    'a new object that already has a version is refused': async (t) => {
      const ns = await t.namespace();
      expect(refusalOf(await t.post(mapsIn(ns), map('a', { resourceVersion: '7' })))).toEqual({
        code: 500,
        message: 'resourceVersion should not be set on objects to be created',
      });
    },
    'UID and creation time of a new object are the server’s own': async (t) => {
      const ns = await t.namespace();
      const claimed = { uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z', selfLink: '/mine' };
      const { metadata } = await t.make(mapsIn(ns), map('a', claimed));
      expect(metadata.uid).toMatch(uuid);
      expect(metadata.creationTimestamp).not.toBe(claimed.creationTimestamp);
      expect(metadata).not.toHaveProperty('selfLink');
    },
    'a namespace that is not there is 404 on create, and an empty list': async (t) => {
      expect(refusalOf(await t.post(mapsIn('nowhere'), map('a')))).toEqual({
        code: 404,
        reason: 'NotFound',
        message: 'namespaces "nowhere" not found',
        details: { name: 'nowhere', kind: 'namespaces' },
      });
      const list = await t.list(mapsIn('nowhere'));
      expect(list).toEqual({
        apiVersion: 'v1',
        kind: 'ConfigMapList',
        metadata: { resourceVersion: list.metadata.resourceVersion },
        items: [],
      });
    },
    'a replacement with the present version is taken and gets a greater one': async (t) => {
      const ns = await t.namespace();
      const created = await t.make(mapsIn(ns), map('a'));
      const { code, body } = await t.put(`${mapsIn(ns)}/a`, { ...created, data: { key: 'new' } });
      expect(code).toBe(200);
      expect(body.data).toEqual({ key: 'new' });
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
      expect(body.metadata.uid).toBe(created.metadata.uid);
      expect(body.metadata.creationTimestamp).toBe(created.metadata.creationTimestamp);
    },
    'a replacement with an old version is refused with 409 Conflict': async (t) => {
      const ns = await t.namespace();
      const created = await t.make(mapsIn(ns), map('a'));
      await t.put(`${mapsIn(ns)}/a`, { ...created, data: { key: 'first' } });
      expect(refusalOf(await t.put(`${mapsIn(ns)}/a`, { ...created, data: { key: 'second' } }))).toEqual({
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on configmaps "a": ${modifiedRule}`,
        details: { name: 'a', kind: 'configmaps' },
      });
    },
    'a replacement without a version wins over whatever is there': async (t) => {
      const ns = await t.namespace();
      const created = await t.make(mapsIn(ns), { ...map('a', { labels: { old: 'yes' } }), data: { key: 'old' } });
      const body = successOf(await t.put(`${mapsIn(ns)}/a`, { ...map('a'), data: { other: 'new' } }));
      expect(body.data).toEqual({ other: 'new' });
      expect(body.metadata.labels).toBeUndefined();
      expect(body.metadata.uid).toBe(created.metadata.uid);
    },
    'a replacement that changes nothing keeps the version': async (t) => {
      const ns = await t.namespace();
      const created = await t.make(mapsIn(ns), { ...map('a'), data: { key: 'same' } });
      const again = successOf(await t.put(`${mapsIn(ns)}/a`, created));
      expect(again).toEqual(created);
    },
    'a replacement with another UID is refused with 409 Conflict': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(mapsIn(ns), map('a'));
      const uid = '11111111-1111-4111-8111-111111111111';
      expect(refusalOf(await t.put(`${mapsIn(ns)}/a`, map('a', { uid })))).toEqual({
        code: 409,
        reason: 'Conflict',
        message:
          `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/${ns}/a, ` +
          `ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
        details: { name: 'a', kind: 'configmaps' },
      });
    },
    'a replacement with a UID does not make an object that was deleted again': async (t) => {
      const ns = await t.namespace();
      const kept = await t.make(mapsIn(ns), map('a'));
      await t.delete(`${mapsIn(ns)}/a`);
      expect(refusalOf(await t.put(`${mapsIn(ns)}/a`, kept))).toMatchObject({ code: 404, reason: 'NotFound' });
      // A kind that a PUT creates if it does not exist.
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`;
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' }, spec: {} };
      const made = await t.make(leases, lease);
      await t.delete(`${leases}/a`);
      expect(refusalOf(await t.put(`${leases}/a`, made))).toMatchObject({
        code: 409,
        reason: 'Conflict',
        message:
          `Operation cannot be fulfilled on leases.coordination.k8s.io "a": StorageError: invalid object, Code: 4, Key: /registry/leases/${ns}/a, ` +
          `ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${made.metadata.uid}, UID in object meta: `,
      });
    },
    'a version that is no number is refused': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a'));
      expect(refusalOf(await t.put(`${mapsIn(ns)}/a`, map('a', { resourceVersion: 'x' })))).toEqual({
        code: 500,
        message: 'strconv.ParseUint: parsing "x": invalid syntax',
      });
    },
    'versions grow across kinds and namespaces': async (t) => {
      const [one, other] = [await t.namespace(), await t.namespace()];
      const first = await t.make(mapsIn(one), map('a'));
      const second = await t.make(`/api/v1/namespaces/${other}/secrets`, { metadata: { name: 'a' } });
      const third = await t.make(mapsIn(one), map('b'));
      const versions = [first, second, third].map(({ metadata }) => Number(metadata.resourceVersion));
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      expect(new Set(versions).size).toBe(3);
    },
  },
};
