// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf } from '../../answer.ts';
import type { Subject } from '../../trial.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const unknown = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
};
const notAllowed = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
};
const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

/** Paths, methods and media types. */
export const http: Subject = {
  name: 'HTTP',
  cases: {
    'a path outside of the API is 404 in plain text': async (t) => {
      for (const path of ['/nope', '/apis/nope.example.com', '/apis/nope.example.com/v1/things']) {
        const { code, headers, body } = await t.get(path);
        expect({ path, code, body, type: headers['content-type'] }).toEqual({
          path,
          code: 404,
          body: '404 page not found\n',
          type: 'text/plain; charset=utf-8',
        });
      }
    },
    'an unknown resource, version or subresource of a known group is 404 as a Status': async (t) => {
      const paths = [
        '/api/v1/nope',
        '/api/v1/namespaces/default/nope',
        '/apis/apps/v1/nope',
        '/apis/apps/v9',
        '/api/v9',
      ];
      for (const path of [...paths, `${maps}/a/nope`, `${maps}/a/status`]) {
        expect({ path, ...refusalOf(await t.get(path)) }).toEqual({ path, ...unknown });
      }
    },
    'a method that a path does not have is 405': async (t) => {
      expect(refusalOf(await t.patch(maps, 'merge', {}))).toEqual(notAllowed);
      expect(refusalOf(await t.put(maps, {}))).toEqual(notAllowed);
      expect(refusalOf(await t.post(`${maps}/a`, {}))).toEqual(notAllowed);
      expect(refusalOf(await t.post('/api/v1/configmaps', { metadata: { name: 'a' } }))).toEqual(notAllowed);
      expect(refusalOf(await t.delete('/api/v1/namespaces'))).toEqual(notAllowed);
      expect(refusalOf(await t.post('/version', {}))).toEqual(notAllowed);
    },
    'a review can only be created': async (t) => {
      expect(refusalOf(await t.get('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'))).toEqual(notAllowed);
    },
    'a body of a type that the server does not read is 415': async (t) => {
      const answer = await t.ask('POST', maps, { body: 'a: b', headers: { 'content-type': 'text/plain' } });
      expect(refusalOf(answer)).toEqual({
        code: 415,
        reason: 'UnsupportedMediaType',
        message: `the body of the request was in an unknown format - accepted media types include: ${types}`,
      });
    },
    'a body may be YAML': async (t) => {
      const ns = await t.namespace();
      const { code, body } = await t.ask('POST', `/api/v1/namespaces/${ns}/configmaps`, {
        body: 'metadata:\n  name: a\ndata:\n  key: |\n    two\n    lines\n',
        headers: { 'content-type': 'application/yaml' },
      });
      expect(code).toBe(201);
      expect(body.data).toEqual({ key: 'two\nlines\n' });
    },
    'an answer may be YAML': async (t) => {
      const { code, headers, body } = await t.get<string>('/api/v1/namespaces/default', { accept: 'application/yaml' });
      expect(code).toBe(200);
      expect(headers['content-type']).toBe('application/yaml');
      expect(body).toMatch(/^apiVersion: v1\nkind: Namespace\nmetadata:\n {2}creationTimestamp: "/);
    },
    'an answer of a type that the server does not write is 406': async (t) => {
      expect(refusalOf(await t.get('/api/v1/namespaces/default', { accept: 'text/plain' }))).toEqual({
        code: 406,
        reason: 'NotAcceptable',
        message: `406: Not Acceptable\n\nAvailable representations: ${types}`,
        details: {},
      });
    },
    'the first type that the server writes is taken': async (t) => {
      const accept = 'text/plain, application/json;as=Nope;v=v1;g=meta.k8s.io, */*';
      const { code, headers } = await t.get('/api/v1/namespaces/default', { accept });
      expect({ code, type: headers['content-type'] }).toEqual({ code: 200, type: 'application/json' });
    },
    'an unknown form of an object is 406': async (t) => {
      const accept = 'application/json;as=Table;v=v9;g=meta.k8s.io';
      expect(refusalOf(await t.get('/api/v1/namespaces/default', { accept }))).toEqual({
        code: 406,
        reason: 'NotAcceptable',
        message: `only the following media types are accepted: ${types}`,
      });
    },
    'an object can be asked for its metadata alone': async (t) => {
      const { metadata } = await t.read('/api/v1/namespaces/default');
      const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
      const { body } = await t.get('/api/v1/namespaces/default', { accept });
      expect(body).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
    },
    'a list can be asked for the metadata alone': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 'a' } });
      const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
      const { body } = await t.get(`/api/v1/namespaces/${ns}/secrets`, { accept });
      expect(body).toEqual({
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
        items: [{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }],
      });
    },
    'answers are not to be cached and carry the ID of their audit': async (t) => {
      const { headers } = await t.get('/api/v1/namespaces/default');
      expect(headers['cache-control']).toBe('no-cache, private');
      expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    },
    'the server says that it is well, alive and ready': async (t) => {
      for (const path of ['/healthz', '/livez', '/readyz']) {
        const { code, body } = await t.get(path);
        expect({ path, code, body }).toEqual({ path, code: 200, body: 'ok' });
      }
    },
    'the server tells its version': async (t) => {
      const { code, body } = await t.get('/version');
      expect(code).toBe(200);
      expect(body).toMatchObject({ major: '1', minor: '36', gitVersion: expect.stringMatching(/^v1\.36\.\d+/) });
    },
    'a patch of no known kind is 415': async (t) => {
      const answer = await t.ask('PATCH', '/api/v1/namespaces/default', { body: {} });
      expect(refusalOf(answer)).toEqual({
        code: 415,
        reason: 'UnsupportedMediaType',
        message: '415: Unsupported Media Type',
        details: {},
      });
    },
  },
};
