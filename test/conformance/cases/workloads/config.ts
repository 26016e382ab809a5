// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf, successOf } from '../../answer.ts';
import { invalid } from '../../invalid.ts';
import type { Subject } from '../../trial.ts';

const mapsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const secretsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;
const keyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const frozen = 'Forbidden: field is immutable when `immutable` is set';

/** ConfigMaps and Secrets. */
export const config: Subject = {
  name: 'ConfigMaps and Secrets',
  cases: {
    'a refusal brings the warnings that came before it': async (t) => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { 'bad key': '1' }, stray: 1 };
      const answer = await t.post(mapsIn(await t.namespace()), body);
      expect(refusalOf(answer).code).toBe(422);
      expect(answer.headers['warning']).toBe('299 - "unknown field \\"stray\\""');
    },
    'an immutable ConfigMap keeps its data and stays immutable, its labels are free': async (t) => {
      const ns = await t.namespace();
      const path = `${mapsIn(ns)}/m`;
      await t.make(mapsIn(ns), { metadata: { name: 'm' }, data: { a: '1' }, immutable: true });
      expect(refusalOf(await t.patch(path, 'merge', { data: { a: '2' } }))).toEqual(
        invalid('ConfigMap', 'm', ['data', 'Forbidden', frozen]),
      );
      expect(refusalOf(await t.patch(path, 'merge', { immutable: false }))).toEqual(
        invalid('ConfigMap', 'm', ['immutable', 'Forbidden', frozen]),
      );
      expect((await t.patch(path, 'merge', { metadata: { labels: { a: 'b' } } })).code).toBe(200);
      expect((await t.delete(path)).code).toBe(200);
    },
    'a ConfigMap can be made immutable later': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), { metadata: { name: 'm' }, data: { a: '1' } });
      expect((await t.patch(`${mapsIn(ns)}/m`, 'merge', { immutable: true, data: { a: '2' } })).code).toBe(200);
      expect((await t.patch(`${mapsIn(ns)}/m`, 'merge', { data: { a: '3' } })).code).toBe(422);
    },
    'keys have few characters': async (t) => {
      const ns = await t.namespace();
      const message = `Invalid value: "bad key": ${keyRule}`;
      expect(refusalOf(await t.post(mapsIn(ns), { metadata: { name: 'm' }, data: { 'bad key': '' } }))).toEqual(
        invalid('ConfigMap', 'm', ['data[bad key]', 'Invalid', message]),
      );
      expect(refusalOf(await t.post(secretsIn(ns), { metadata: { name: 's' }, data: { 'bad key': '' } }))).toEqual(
        invalid('Secret', 's', ['data[bad key]', 'Invalid', message]),
      );
    },
    'a key is text or binary, not both': async (t) => {
      const ns = await t.namespace();
      const body = { metadata: { name: 'm' }, data: { x: 'a' }, binaryData: { x: 'AAA=' } };
      expect(refusalOf(await t.post(mapsIn(ns), body))).toEqual(
        invalid('ConfigMap', 'm', 'data[x]: Invalid value: "x": duplicate of key present in binaryData'),
      );
    },
    'binary data is base64 or 400': async (t) => {
      const ns = await t.namespace();
      expect(refusalOf(await t.post(secretsIn(ns), { metadata: { name: 's' }, data: { x: 'not base64' } }))).toEqual(
        badRequest('Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 3'),
      );
      expect(refusalOf(await t.post(mapsIn(ns), { metadata: { name: 'm' }, binaryData: { x: '!!' } }))).toEqual(
        badRequest('ConfigMap in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte 0'),
      );
    },
    'plain strings of a Secret are encoded, win over its data, and are never read back': async (t) => {
      const ns = await t.namespace();
      const body = { metadata: { name: 's' }, stringData: { x: 'plain' }, data: { x: 'AAA=', y: 'AAA=' } };
      const made = await t.make(secretsIn(ns), body);
      expect(made.data).toEqual({ x: 'cGxhaW4=', y: 'AAA=' });
      expect(made).not.toHaveProperty('stringData');
      const patched = successOf(await t.patch(`${secretsIn(ns)}/s`, 'merge', { stringData: { z: 'ä' } }));
      expect(patched.data).toEqual({ x: 'cGxhaW4=', y: 'AAA=', z: 'w6Q=' });
    },
    'a Secret is opaque unless it says otherwise, and stays of its type': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(secretsIn(ns), { metadata: { name: 's' } });
      expect(made).toMatchObject({ type: 'Opaque' });
      expect(refusalOf(await t.patch(`${secretsIn(ns)}/s`, 'merge', { type: 'other' }))).toEqual(
        invalid('Secret', 's', 'type: Invalid value: "other": field is immutable'),
      );
    },
    'a Secret of a known type has its keys': async (t) => {
      const ns = await t.namespace();
      const tls = { metadata: { name: 's' }, type: 'kubernetes.io/tls' };
      expect(refusalOf(await t.post(secretsIn(ns), tls))).toEqual(
        invalid('Secret', 's', 'data[tls.crt]: Required value', 'data[tls.key]: Required value'),
      );
      expect((await t.post(secretsIn(ns), { ...tls, data: { 'tls.crt': '', 'tls.key': '' } })).code).toBe(201);
      const docker = {
        metadata: { name: 'd' },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: { '.dockerconfigjson': 'x' },
      };
      expect(refusalOf(await t.post(secretsIn(ns), docker))).toEqual(
        invalid(
          'Secret',
          'd',
          'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid character \'x\' looking for beginning of value',
        ),
      );
    },
    'an immutable Secret keeps its data': async (t) => {
      const ns = await t.namespace();
      await t.make(secretsIn(ns), { metadata: { name: 's' }, stringData: { a: '1' }, immutable: true });
      expect(refusalOf(await t.patch(`${secretsIn(ns)}/s`, 'merge', { stringData: { a: '2' } }))).toEqual(
        invalid('Secret', 's', ['data', 'Forbidden', frozen]),
      );
    },
    'a Secret holds at most 1 MiB': async (t) => {
      const ns = await t.namespace();
      const stringData = { a: 'x'.repeat(1_048_577) };
      expect(refusalOf(await t.post(secretsIn(ns), { metadata: { name: 's' }, stringData }))).toEqual(
        invalid('Secret', 's', 'data: Too long: may not be more than 1048576 bytes'),
      );
    },
  },
};
