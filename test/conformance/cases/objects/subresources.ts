// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import { customKind } from '../../custom-kind.ts';
import { invalid } from '../../invalid.ts';
import { modifiedRule } from '../../messages.ts';
import type { Subject } from '../../trial.ts';

const withStatus = { version: { subresources: { status: {} } } };
const withScale = {
  version: {
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.size',
        statusReplicasPath: '.status.size',
        labelSelectorPath: '.status.selector',
      },
    },
  },
};
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const setSpec = { serviceName: 's', replicas: 2, selector: { matchLabels: { app: 'a' } }, template };

/** Status and scale. */
export const subresources: Subject = {
  name: 'status and scale',
  cases: {
    'a create drops the status of a kind that has the subresource': async (t) => {
      const kind = await customKind(t, withStatus);
      const ns = await t.namespace();
      const made = await t.make(kind.path(ns), kind.object('w', { spec: { a: 1 }, status: { b: 2 } }));
      expect(made).not.toHaveProperty('status');
    },
    'a kind without the subresource keeps its status and has no such path': async (t) => {
      const kind = await customKind(t);
      const ns = await t.namespace();
      const made = await t.make(kind.path(ns), kind.object('w', { status: { b: 2 } }));
      expect(made.status).toEqual({ b: 2 });
      expect(refusalOf(await t.get(`${kind.path(ns, 'w')}/status`))).toMatchObject({ code: 404, reason: 'NotFound' });
    },
    'a write of the object leaves the status, a write of the status leaves the rest': async (t) => {
      const kind = await customKind(t, withStatus);
      const ns = await t.namespace();
      const path = kind.path(ns, 'w');
      await t.make(kind.path(ns), kind.object('w', { spec: { a: 1 } }));
      const status = await t.patch(`${path}/status`, 'merge', { spec: { a: 2 }, status: { b: 1 } });
      expect(status.body).toMatchObject({ spec: { a: 1 }, status: { b: 1 } });
      const both = { ...status.body, spec: { a: 3 }, status: { b: 9 } };
      const main = await t.put(path, both);
      expect(main.body).toMatchObject({ spec: { a: 3 }, status: { b: 1 } });
    },
    'a write of the status does not count as a generation': async (t) => {
      const kind = await customKind(t, withStatus);
      const ns = await t.namespace();
      await t.make(kind.path(ns), kind.object('w'));
      const { body } = await t.patch(`${kind.path(ns, 'w')}/status`, 'merge', { status: { b: 1 } });
      expect(body.metadata.generation).toBe(1);
    },
    'a write of the status of a custom kind leaves the metadata': async (t) => {
      const kind = await customKind(t, withStatus);
      const ns = await t.namespace();
      await t.make(kind.path(ns), kind.object('w'));
      const metadata = { labels: { a: 'b' }, annotations: { a: 'b' }, finalizers: ['example.com/f'] };
      const { body } = await t.patch(`${kind.path(ns, 'w')}/status`, 'merge', { metadata, status: { b: 1 } });
      expect(body.metadata).not.toHaveProperty('labels');
      expect(body.metadata).not.toHaveProperty('annotations');
      expect(body.metadata).not.toHaveProperty('finalizers');
    },
    'a merge patch of the status of a custom kind does not look at the UID, and a test in a JSON patch does': async (
      t,
    ) => {
      const kind = await customKind(t, withStatus);
      const ns = await t.namespace();
      const path = `${kind.path(ns, 'w')}/status`;
      const { metadata } = await t.make(kind.path(ns), kind.object('w'));
      const uid = '11111111-1111-4111-8111-111111111111';
      const merged = await t.patch(path, 'merge', { metadata: { uid }, status: { b: 1 } });
      expect(merged.body).toMatchObject({ metadata: { uid: metadata.uid }, status: { b: 1 } });
      const byUid = (expected: string) => [
        { op: 'test', path: '/metadata/uid', value: expected },
        // Removing a field succeeds even if it is absent.
        { op: 'add', path: '/status/c', value: null },
        { op: 'remove', path: '/status/c' },
        { op: 'add', path: '/status/b', value: 2 },
      ];
      expect(refusalOf(await t.patch(path, 'json', byUid(uid)))).toMatchObject({ code: 422, reason: 'Invalid' });
      expect(successOf(await t.patch(path, 'json', byUid(metadata.uid)))).toMatchObject({ status: { b: 2 } });
    },
    'the status has the version of the object': async (t) => {
      const kind = await customKind(t, withStatus);
      const ns = await t.namespace();
      const made = await t.make(kind.path(ns), kind.object('w'));
      await t.patch(kind.path(ns, 'w'), 'merge', { spec: { a: 1 } });
      expect(refusalOf(await t.put(`${kind.path(ns, 'w')}/status`, { ...made, status: { b: 1 } }))).toEqual({
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on widgets.${kind.group} "w": ${modifiedRule}`,
        details: { name: 'w', group: kind.group, kind: 'widgets' },
      });
    },
    'the status can be read by its own path and is the whole object': async (t) => {
      const kind = await customKind(t, withStatus);
      const ns = await t.namespace();
      const made = await t.make(kind.path(ns), kind.object('w', { spec: { a: 1 } }));
      expect(await t.read(`${kind.path(ns, 'w')}/status`)).toEqual(made);
    },
    'status cannot be created or deleted': async (t) => {
      const kind = await customKind(t, withStatus);
      const ns = await t.namespace();
      await t.make(kind.path(ns), kind.object('w'));
      expect((await t.post(`${kind.path(ns, 'w')}/status`, kind.object('w'))).code).toBe(405);
      expect((await t.delete(`${kind.path(ns, 'w')}/status`)).code).toBe(405);
    },
    'the status of a built-in kind is separate, too': async (t) => {
      const ns = await t.namespace();
      const path = `/apis/apps/v1/namespaces/${ns}/statefulsets`;
      const made = await t.make(path, { metadata: { name: 's' }, spec: setSpec, status: { replicas: 7 } });
      expect(made.status).toEqual({ replicas: 0, availableReplicas: 0 });
      const status = { replicas: 2, readyReplicas: 1 };
      const { body } = await t.patch(`${path}/s/status`, 'merge', { spec: { replicas: 9 }, status });
      expect(body.spec['replicas']).toBe(2);
      expect(body.status).toMatchObject(status);
      expect(body.metadata.generation).toBe(1);
    },
    'the scale of a StatefulSet': async (t) => {
      const ns = await t.namespace();
      const path = `/apis/apps/v1/namespaces/${ns}/statefulsets`;
      const { metadata } = await t.make(path, { metadata: { name: 's' }, spec: setSpec });
      const { uid, resourceVersion, creationTimestamp } = metadata;
      expect(await t.read(`${path}/s/scale`)).toEqual({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 's', namespace: ns, uid, resourceVersion, creationTimestamp },
        spec: { replicas: 2 },
        status: { replicas: 0, selector: 'app=a' },
      });
      const { code, body } = await t.patch(`${path}/s/scale`, 'merge', { spec: { replicas: 5 } });
      expect(code).toBe(200);
      expect(body.spec).toEqual({ replicas: 5 });
      expect((await t.read(`${path}/s`)).spec['replicas']).toBe(5);
    },
    'a scale below nought is refused': async (t) => {
      const ns = await t.namespace();
      const path = `/apis/apps/v1/namespaces/${ns}/deployments`;
      const spec = { selector: setSpec.selector, template };
      await t.make(path, { metadata: { name: 'd' }, spec });
      expect(refusalOf(await t.patch(`${path}/d/scale`, 'merge', { spec: { replicas: -1 } }))).toEqual(
        invalid('Scale.autoscaling', 'd', 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'),
      );
    },
    'the scale of a custom kind is where its definition says': async (t) => {
      const kind = await customKind(t, withScale);
      const ns = await t.namespace();
      const path = kind.path(ns, 'w');
      await t.make(kind.path(ns), kind.object('w', { spec: { size: 3 } }));
      const before = successOf(await t.patch(`${path}/status`, 'merge', { status: { size: 1, selector: 'a=b' } }));
      const { uid, resourceVersion, creationTimestamp } = before.metadata;
      expect(await t.read(`${path}/scale`)).toEqual({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'w', namespace: ns, uid, resourceVersion, creationTimestamp },
        spec: { replicas: 3 },
        status: { replicas: 1, selector: 'a=b' },
      });
      const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'w', namespace: ns } };
      successOf(await t.put(`${path}/scale`, { ...scale, spec: { replicas: 5 } }));
      const after = await t.read(path);
      expect(after.spec).toEqual({ size: 5 });
      expect(after.metadata.generation).toBe(2);
    },
    'a custom object without the field of its scale has none': async (t) => {
      const kind = await customKind(t, withScale);
      const ns = await t.namespace();
      await t.make(kind.path(ns), kind.object('w', { spec: {} }));
      expect(refusalOf(await t.get(`${kind.path(ns, 'w')}/scale`))).toEqual({
        code: 500,
        reason: 'InternalError',
        message: 'Internal error occurred: the spec replicas field ".spec.size" does not exist',
        details: { causes: [{ message: 'the spec replicas field ".spec.size" does not exist' }] },
      });
    },
  },
};
