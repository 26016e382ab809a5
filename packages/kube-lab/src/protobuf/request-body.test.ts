// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { openApiDocument } from '../registry/captured-api.ts';
import { type MessageType, wireTypeOf } from './message-types.ts';
import { readableBody } from './request-body.ts';
import { encodeMessage, envelope } from './testing/encode-message.ts';

function messageType(key: string, typeName: string): MessageType {
  const type = wireTypeOf(openApiDocument(key) ?? {}, typeName);
  if (type.type !== 'message') throw new Error(`${typeName} is no message`);
  return type;
}

const configMap = messageType('api/v1', 'io.k8s.api.core.v1.ConfigMap');
const pod = messageType('api/v1', 'io.k8s.api.core.v1.Pod');

const protobufType = 'application/vnd.kubernetes.protobuf';

/** The JSON of a body; undefined if it is unchanged. */
function asJson(bytes: Uint8Array): string | undefined {
  const { headers, body } = readableBody({ 'content-type': protobufType }, bytes);
  return headers['content-type'] === 'application/json' ? body : undefined;
}

function throughTheWire(type: MessageType, apiVersion: string, kind: string, object: JsonObject): unknown {
  const json = asJson(envelope(apiVersion, kind, encodeMessage(type, object)));
  return JSON.parse(json ?? 'null');
}

const names = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
const texts = fc.string({ unit: 'grapheme', maxLength: 12 });
const some = { minKeys: 1, maxKeys: 4 };
const metadata = fc.record({
  name: names,
  labels: fc.dictionary(names, texts, some),
  creationTimestamp: fc.integer({ min: 1, max: 4e9 }).map((s) => `${new Date(s * 1000).toISOString().slice(0, -5)}Z`),
});
const port = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), names);
const container = fc.record({
  name: names,
  args: fc.array(texts, { minLength: 1, maxLength: 3 }),
  resources: fc.record({ limits: fc.dictionary(names, fc.constantFrom('1', '500m', '2Gi'), some) }),
  livenessProbe: fc.record({
    httpGet: fc.record({ path: texts, port }),
    periodSeconds: fc.integer({ min: -5, max: 100 }),
  }),
  securityContext: fc.record({ runAsUser: fc.maxSafeInteger(), privileged: fc.boolean() }),
});
const volume = fc.record({
  name: names,
  configMap: fc.record({ name: names, defaultMode: fc.integer({ min: 0, max: 511 }), optional: fc.boolean() }),
});

describe('bodies in protobuf', () => {
  test('a ConfigMap comes through with its texts and bytes', () => {
    const maps = fc.record({
      metadata,
      data: fc.dictionary(texts, texts, some),
      binaryData: fc.dictionary(
        names,
        fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('base64')),
        some,
      ),
      immutable: fc.boolean(),
    });
    fc.assert(
      fc.property(maps, (object) => {
        expect(throughTheWire(configMap, 'v1', 'ConfigMap', object)).toEqual({
          kind: 'ConfigMap',
          apiVersion: 'v1',
          ...object,
        });
      }),
    );
  });

  test('a Pod comes through with embedded structs, quantities, ports and lists', () => {
    const spec = fc.record({
      containers: fc.array(container, { minLength: 1, maxLength: 3 }),
      volumes: fc.array(volume, { minLength: 1, maxLength: 2 }),
      terminationGracePeriodSeconds: fc.integer(),
    });
    fc.assert(
      fc.property(fc.record({ metadata, spec }), (object) => {
        expect(throughTheWire(pod, 'v1', 'Pod', object)).toEqual({ kind: 'Pod', apiVersion: 'v1', ...object });
      }),
    );
  });

  test('any bytes are read or left alone, never a failure', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = asJson(envelope('v1', 'Pod', bytes));
        if (text !== undefined) JSON.parse(text);
      }),
    );
  });

  test('kinds without protobuf, and other media types, stay as they are', () => {
    const body = envelope('example.com/v1', 'Thing', new Uint8Array());
    expect(readableBody({ 'content-type': protobufType }, body).headers['content-type']).toBe(protobufType);
    expect(readableBody({ 'content-type': 'application/json' }, Buffer.from('{"ä":1}')).body).toBe('{"ä":1}');
    expect(readableBody({}, new Uint8Array()).body).toBeUndefined();
  });

  test('an empty time is null, and a map entry without a value has the zero of its type', () => {
    const emptyTime = Buffer.from([0x0a, 0x02, 0x42, 0x00]);
    const entry = Buffer.from([0x12, 0x03, 0x0a, 0x01, 0x61]);
    const json = asJson(envelope('v1', 'ConfigMap', Buffer.concat([emptyTime, entry])));
    expect(JSON.parse(json ?? '')).toMatchObject({ metadata: { creationTimestamp: null }, data: { a: '' } });
  });
});
