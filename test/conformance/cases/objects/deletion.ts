// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import { type Cause, invalid } from '../../invalid.ts';
import type { Subject } from '../../trial.ts';

const mapsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const map = (name: string, more: object = {}) => ({ metadata: { name, ...more } });
const finalizers = ['example.com/hold'];

/** The effects of one DELETE of one object, with and without finalizers. */
export const deletion: Subject = {
  name: 'deletion',
  cases: {
    'an object is gone at once and its UID is answered': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(mapsIn(ns), map('a'));
      const { code, body } = await t.delete(`${mapsIn(ns)}/a`);
      expect(code).toBe(200);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', kind: 'configmaps', uid: metadata.uid },
      });
      expect((await t.get(`${mapsIn(ns)}/a`)).code).toBe(404);
    },
    'an object of a group is answered with its group': async (t) => {
      const ns = await t.namespace();
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`;
      const { metadata } = await t.make(leases, map('a'));
      const { body } = await t.delete(`${leases}/a`);
      expect(body).toMatchObject({
        details: { name: 'a', group: 'coordination.k8s.io', kind: 'leases', uid: metadata.uid },
      });
    },
    'an object with a finalizer stays, marked with the time, and is answered as it then is': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(mapsIn(ns), map('a', { finalizers }));
      const { code, body } = await t.delete(`${mapsIn(ns)}/a`);
      expect(code).toBe(200);
      expect(body.kind).toBe('ConfigMap');
      expect(body.metadata).toMatchObject({ uid: made.metadata.uid, finalizers, deletionGracePeriodSeconds: 0 });
      expect(body.metadata.deletionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
      expect(await t.read(`${mapsIn(ns)}/a`)).toEqual(body);
    },
    'a second delete of a marked object changes nothing': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a', { finalizers }));
      const first = await t.delete(`${mapsIn(ns)}/a`);
      const second = await t.delete(`${mapsIn(ns)}/a`);
      expect(second.code).toBe(200);
      expect(second.body).toEqual(first.body);
    },
    'a marked object goes when its last finalizer goes, and that write is answered with the object': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a', { finalizers: [...finalizers, 'example.com/other'] }));
      await t.delete(`${mapsIn(ns)}/a`);
      const first = await t.patch(`${mapsIn(ns)}/a`, 'merge', { metadata: { finalizers } });
      expect(first.body.metadata.finalizers).toEqual(finalizers);
      const last = await t.patch(`${mapsIn(ns)}/a`, 'merge', { metadata: { finalizers: null } });
      expect(last.code).toBe(200);
      expect(last.body.metadata.name).toBe('a');
      expect(last.body.metadata).not.toHaveProperty('finalizers');
      expect((await t.get(`${mapsIn(ns)}/a`)).code).toBe(404);
    },
    'a marked object takes no new finalizers': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a', { finalizers }));
      await t.delete(`${mapsIn(ns)}/a`);
      const more = { metadata: { finalizers: [...finalizers, 'example.com/late'] } };
      const message =
        'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/late"}';
      // The real server checks this twice, and reports it twice.
      const cause: Cause = ['metadata.finalizers', 'Forbidden', message];
      expect(refusalOf(await t.patch(`${mapsIn(ns)}/a`, 'merge', more))).toEqual(
        invalid('ConfigMap', 'a', cause, cause),
      );
    },
    'a marked object can still be changed': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a', { finalizers }));
      await t.delete(`${mapsIn(ns)}/a`);
      const { code, body } = await t.patch(`${mapsIn(ns)}/a`, 'merge', { data: { key: 'late' } });
      expect(code).toBe(200);
      expect(body.data).toEqual({ key: 'late' });
    },
    'the mark cannot be taken away by a replacement': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a', { finalizers }));
      const marked = successOf(await t.delete(`${mapsIn(ns)}/a`));
      const { body } = await t.put(`${mapsIn(ns)}/a`, map('a', { finalizers }));
      expect(body.metadata.deletionTimestamp).toBe(marked.metadata.deletionTimestamp);
    },
    'the name of a marked object is not free': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a', { finalizers }));
      await t.delete(`${mapsIn(ns)}/a`);
      expect(refusalOf(await t.post(mapsIn(ns), map('a')))).toEqual({
        code: 409,
        reason: 'AlreadyExists',
        message: 'object is being deleted: configmaps "a" already exists',
        details: { name: 'a', kind: 'configmaps' },
      });
    },
    'the precondition of another UID is refused with 409 Conflict, and of the right one taken': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(mapsIn(ns), map('a'));
      const uid = '11111111-1111-4111-8111-111111111111';
      expect(refusalOf(await t.delete(`${mapsIn(ns)}/a`, { preconditions: { uid } }))).toEqual({
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
        details: { name: 'a', kind: 'ConfigMap' },
      });
      expect((await t.delete(`${mapsIn(ns)}/a`, { preconditions: { uid: metadata.uid } })).code).toBe(200);
    },
    'the precondition of an old version is refused with 409 Conflict': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(mapsIn(ns), map('a'));
      const changed = await t.patch(`${mapsIn(ns)}/a`, 'merge', { data: { key: 'new' } });
      const { resourceVersion } = metadata;
      expect(refusalOf(await t.delete(`${mapsIn(ns)}/a`, { preconditions: { resourceVersion } }))).toEqual({
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${changed.body.metadata.resourceVersion}). The object might have been modified`,
        details: { name: 'a', kind: 'ConfigMap' },
      });
    },
    'an unknown propagation policy is refused': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a'));
      expect(refusalOf(await t.delete(`${mapsIn(ns)}/a`, { propagationPolicy: 'Sideways' }))).toEqual(
        invalid(
          'DeleteOptions.meta.k8s.io',
          '',
          'propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
        ),
      );
    },
    'the policy may be given in the query': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a', { finalizers }));
      const { body } = await t.delete(`${mapsIn(ns)}/a?propagationPolicy=Foreground`);
      expect(body.metadata.finalizers).toEqual([...finalizers, 'foregroundDeletion']);
    },
    'Orphan and Foreground leave their finalizer for the garbage collector': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a', { finalizers }));
      await t.make(mapsIn(ns), map('b', { finalizers }));
      const orphaned = await t.delete(`${mapsIn(ns)}/a`, { propagationPolicy: 'Orphan' });
      expect(orphaned.body.metadata.finalizers).toEqual([...finalizers, 'orphan']);
      const foreground = await t.delete(`${mapsIn(ns)}/b`, { propagationPolicy: 'Foreground' });
      expect(foreground.body.metadata.finalizers).toEqual([...finalizers, 'foregroundDeletion']);
    },
    'a collection is deleted as the list it selects, and the others stay': async (t) => {
      const ns = await t.namespace();
      for (const name of ['a', 'b']) await t.make(mapsIn(ns), map(name, { labels: { go: 'yes' } }));
      await t.make(mapsIn(ns), map('c'));
      const { code, body } = await t.delete<{ kind: string; items?: unknown[] }>(
        `${mapsIn(ns)}?labelSelector=go%3Dyes`,
      );
      expect(code).toBe(200);
      expect(body.kind).toBe('ConfigMapList');
      expect(body.items).toMatchObject([{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }]);
      const { items } = await t.list(`${mapsIn(ns)}?fieldSelector=metadata.name%21%3Dkube-root-ca.crt`);
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['c']);
    },
    'a collection of nothing is an empty list': async (t) => {
      const ns = await t.namespace();
      const { code, body } = await t.delete<{ items?: unknown[] }>(`${mapsIn(ns)}?labelSelector=none%3Dhere`);
      expect(code).toBe(200);
      expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', items: [] });
    },
    'the grace period of a kind without one is ignored': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), map('a'));
      expect((await t.delete(`${mapsIn(ns)}/a`, { gracePeriodSeconds: 30 })).code).toBe(200);
      expect((await t.get(`${mapsIn(ns)}/a`)).code).toBe(404);
    },
  },
};
