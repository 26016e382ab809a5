// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf, successOf } from '../../answer.ts';
import { customKind } from '../../custom-kind.ts';
import { type Cause, invalid } from '../../invalid.ts';
import { modifiedRule } from '../../messages.ts';
import type { Subject, Trial } from '../../trial.ts';

/** A ConfigMap to be patched; resolves with its path. */
async function patchable(t: Trial): Promise<string> {
  const ns = await t.namespace();
  const path = `/api/v1/namespaces/${ns}/configmaps`;
  await t.make(path, { metadata: { name: 'm', labels: { a: '1', b: '2' } }, data: { key: 'value', other: 'x' } });
  return `${path}/m`;
}

const rejected = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
};

/** JSON patches and merge patches. */
export const patches: Subject = {
  name: 'JSON and merge patches',
  cases: {
    'a JSON patch adds, replaces, removes, moves and copies in order': async (t) => {
      const path = await patchable(t);
      const { code, body } = await t.patch(path, 'json', [
        { op: 'test', path: '/data/key', value: 'value' },
        { op: 'add', path: '/data/new', value: 'n' },
        { op: 'replace', path: '/data/key', value: 'v2' },
        { op: 'move', from: '/data/other', path: '/data/moved' },
        { op: 'copy', from: '/data/moved', path: '/data/copied' },
        { op: 'remove', path: '/metadata/labels/a' },
      ]);
      expect(code).toBe(200);
      expect(body.data).toEqual({ key: 'v2', new: 'n', moved: 'x', copied: 'x' });
      expect(body.metadata.labels).toEqual({ b: '2' });
    },
    'a JSON patch inserts into a list and appends with a dash': async (t) => {
      const kind = await customKind(t);
      const ns = await t.namespace();
      await t.make(kind.path(ns), kind.object('w', { spec: { list: ['a', 'c'] } }));
      const { body } = await t.patch(kind.path(ns, 'w'), 'json', [
        { op: 'add', path: '/spec/list/1', value: 'b' },
        { op: 'add', path: '/spec/list/-', value: 'd' },
        { op: 'remove', path: '/spec/list/0' },
      ]);
      expect(body.spec).toEqual({ list: ['b', 'c', 'd'] });
    },
    'slashes and tildes in keys are escaped': async (t) => {
      const path = await patchable(t);
      const { body } = await t.patch(path, 'json', [
        { op: 'add', path: '/metadata/annotations', value: { 'example.com/a': '1' } },
        { op: 'replace', path: '/metadata/annotations/example.com~1a', value: '2' },
      ]);
      expect(body.metadata.annotations).toEqual({ 'example.com/a': '2' });
    },
    'a JSON patch whose test fails changes nothing and is 422': async (t) => {
      const path = await patchable(t);
      const before = await t.read(path);
      const answer = await t.patch(path, 'json', [
        { op: 'remove', path: '/data/other' },
        { op: 'test', path: '/data/key', value: 'no' },
      ]);
      expect(refusalOf(answer)).toEqual(rejected);
      expect(await t.read(path)).toEqual(before);
    },
    'a JSON patch into what is not there is 422': async (t) => {
      const path = await patchable(t);
      expect(refusalOf(await t.patch(path, 'json', [{ op: 'add', path: '/binaryData/x', value: '' }]))).toEqual(
        rejected,
      );
      expect(refusalOf(await t.patch(path, 'json', [{ op: 'copy', from: '/no/x', path: '/data/x' }]))).toEqual(
        rejected,
      );
    },
    'a JSON patch that removes what is not there is 422, one that replaces it sets it': async (t) => {
      const path = await patchable(t);
      expect(refusalOf(await t.patch(path, 'json', [{ op: 'remove', path: '/data/none' }]))).toEqual(rejected);
      const { code, body } = await t.patch(path, 'json', [{ op: 'replace', path: '/data/none', value: 'n' }]);
      expect(code).toBe(200);
      expect(body.data).toEqual({ key: 'value', other: 'x', none: 'n' });
    },
    'a JSON patch with an unknown operation is 422': async (t) => {
      const path = await patchable(t);
      expect(refusalOf(await t.patch(path, 'json', [{ op: 'nope', path: '/data/key' }]))).toEqual(rejected);
    },
    'a JSON patch that is no list is 400': async (t) => {
      const path = await patchable(t);
      expect(refusalOf(await t.patch(path, 'json', { op: 'remove', path: '/data/key' }))).toEqual(
        badRequest('error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'),
      );
    },
    'a patch that is no JSON is 400': async (t) => {
      const path = await patchable(t);
      const why = "invalid character 'o' in literal null (expecting 'u')";
      const bad = { code: 400, reason: 'BadRequest' };
      expect(refusalOf(await t.patch(path, 'json', 'nope'))).toEqual({
        ...bad,
        message: `error decoding patch: ${why}`,
      });
      expect(refusalOf(await t.patch(path, 'merge', 'nope'))).toEqual({
        ...bad,
        message: `error decoding patch: ${why}`,
      });
      expect(refusalOf(await t.patch(path, 'strategic', 'nope'))).toEqual({ ...bad, message: why });
    },
    'a merge patch sets, adds, and removes with null': async (t) => {
      const path = await patchable(t);
      const { code, body } = await t.patch(path, 'merge', {
        metadata: { labels: { a: null, c: '3' } },
        data: { key: 'v2', none: null },
      });
      expect(code).toBe(200);
      expect(body.metadata.labels).toEqual({ b: '2', c: '3' });
      expect(body.data).toEqual({ key: 'v2', other: 'x' });
    },
    'a merge patch replaces lists as a whole': async (t) => {
      const kind = await customKind(t);
      const ns = await t.namespace();
      await t.make(kind.path(ns), kind.object('w', { spec: { list: [{ name: 'a' }, { name: 'b' }], deep: { x: 1 } } }));
      const { body } = await t.patch(kind.path(ns, 'w'), 'merge', { spec: { list: [{ name: 'c' }], deep: { y: 2 } } });
      expect(body.spec).toEqual({ list: [{ name: 'c' }], deep: { x: 1, y: 2 } });
    },
    'a merge patch that is no object is 400': async (t) => {
      const path = await patchable(t);
      expect(refusalOf(await t.patch(path, 'merge', []))).toEqual(
        badRequest('error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'),
      );
    },
    'a patch that leaves a value of the wrong type is 422': async (t) => {
      const path = await patchable(t);
      const { code, reason, message } = refusalOf(await t.patch(path, 'merge', { data: { key: 5 } }));
      expect({ code, reason }).toEqual({ code: 422, reason: 'Invalid' });
      expect(message).toMatch(/^ "" is invalid: patch: Invalid value: "\{.*\}": /);
      expect(message).toMatch(/json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/);
    },
    'a patch that changes nothing keeps the version': async (t) => {
      const path = await patchable(t);
      const before = await t.read(path);
      expect((await t.patch(path, 'merge', { data: { key: 'value' } })).body).toEqual(before);
      expect((await t.patch(path, 'json', [{ op: 'replace', path: '/data/key', value: 'value' }])).body).toEqual(
        before,
      );
      expect((await t.patch(path, 'strategic', {})).body).toEqual(before);
    },
    'the version in a patch is a precondition': async (t) => {
      const path = await patchable(t);
      const { metadata } = await t.read(path);
      const patch = (value: string) => ({
        metadata: { resourceVersion: metadata.resourceVersion },
        data: { key: value },
      });
      expect((await t.patch(path, 'merge', patch('first'))).code).toBe(200);
      expect(refusalOf(await t.patch(path, 'merge', patch('second')))).toEqual({
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on configmaps "m": ${modifiedRule}`,
        details: { name: 'm', kind: 'configmaps' },
      });
    },
    'a patch of the name or namespace is 400, of the UID 422': async (t) => {
      const path = await patchable(t);
      expect(refusalOf(await t.patch(path, 'merge', { metadata: { name: 'other' } }))).toEqual(
        badRequest('the name of the object (other) does not match the name on the URL (m)'),
      );
      expect(refusalOf(await t.patch(path, 'merge', { metadata: { namespace: 'other' } }))).toEqual(
        badRequest('the namespace of the provided object does not match the namespace sent on the request'),
      );
      // Once by the validation of all kinds and once by that of the kind.
      const cause: Cause = 'metadata.uid: Invalid value: "x": field is immutable';
      expect(refusalOf(await t.patch(path, 'merge', { metadata: { uid: 'x' } }))).toEqual(
        invalid('ConfigMap', 'm', cause, cause),
      );
    },
    'a patch of the creation time is ignored': async (t) => {
      const path = await patchable(t);
      const before = await t.read(path);
      const patch = { metadata: { creationTimestamp: '2001-01-01T00:00:00Z' } };
      expect(successOf(await t.patch(path, 'merge', patch))).toEqual(before);
    },
    'force is for server-side apply alone': async (t) => {
      const path = await patchable(t);
      expect(refusalOf(await t.patch(`${path}?force=true`, 'merge', {}))).toEqual(
        invalid('PatchOptions.meta.k8s.io', '', 'force: Forbidden: may not be specified for non-apply patch'),
      );
    },
    'the key __proto__ is data like any other': async (t) => {
      const path = await patchable(t);
      const { code, body } = await t.patch(path, 'merge', '{"data":{"__proto__":"x"}}');
      expect(code).toBe(200);
      expect(Object.keys(body.data)).toEqual(['__proto__', 'key', 'other']);
    },
  },
};
