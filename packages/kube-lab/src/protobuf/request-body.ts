// SPDX-License-Identifier: Apache-2.0
import { parseApiVersion } from '../registry/api-version.ts';
import { documentOf, rootTypeName } from '../registry/builtin-codec.ts';
import { type OpenApiDocument, openApiDocument } from '../registry/captured-api.ts';
import type { ApiRequest } from '../server/api-request.ts';
import { decodeMessage } from './decode-message.ts';
import { type MessageType, wireTypeOf } from './message-types.ts';
import { ProtobufError, wireFields } from './wire.ts';

/** A request body and its media type. */
export type RequestBody = Pick<ApiRequest, 'headers' | 'body'>;

const protobufType = 'application/vnd.kubernetes.protobuf';

/** The four magic bytes of every protobuf body of Kubernetes. */
const magic = Buffer.from('k8s\0', 'latin1');

/**
 * The body of a request as text for the rest of the server. Protobuf, which clients of built-in kinds prefer, becomes
 * the JSON of the same object; an unreadable body stays unchanged and is refused where its media type is checked.
 */
export function readableBody(headers: ApiRequest['headers'], bytes: Uint8Array): RequestBody {
  if (bytes.length === 0) return { headers, body: undefined };
  const type = headers['content-type'];
  if (typeof type === 'string' && type.startsWith(protobufType)) {
    const json = protobufAsJson(bytes);
    if (json !== undefined) return { headers: { ...headers, 'content-type': 'application/json' }, body: json };
  }
  return { headers, body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8') };
}

/**
 * The JSON of a protobuf object in its envelope. Undefined if the bytes are no such object, or its kind has no
 * protobuf.
 */
function protobufAsJson(bytes: Uint8Array): string | undefined {
  if (!magic.equals(bytes.subarray(0, magic.length))) return undefined;
  try {
    const { apiVersion, kind, raw } = openEnvelope(bytes.subarray(magic.length));
    const type = messageTypeOf(apiVersion, kind);
    return type && JSON.stringify({ kind, apiVersion, ...decodeMessage(type, raw) });
  } catch (error) {
    if (error instanceof ProtobufError) return undefined;
    throw error;
  }
}

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Reads the message `runtime.Unknown`: its field 1 is the kind, its field 2 the object. */
function openEnvelope(bytes: Uint8Array): Envelope {
  const names = { apiVersion: '', kind: '' };
  let raw = new Uint8Array();
  for (const { number, value } of wireFields(bytes)) {
    if (typeof value === 'bigint') continue;
    if (number === 2) raw = Uint8Array.from(value);
    if (number === 1) Object.assign(names, typeMetaOf(value));
  }
  return { ...names, raw };
}

function typeMetaOf(bytes: Uint8Array): { apiVersion: string; kind: string } {
  const texts = new Map([...wireFields(bytes)].map(({ number, value }) => [number, value]));
  const text = (number: number) => {
    const value = texts.get(number);
    return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : '';
  };
  return { apiVersion: text(1), kind: text(2) };
}

/**
 * These OpenAPI documents also describe kinds of other groups, which subresources use: TokenRequest, Eviction, Scale.
 */
const otherDocuments = ['api/v1', 'apis/apps/v1'];

function messageTypeOf(apiVersion: string, kind: string): MessageType | undefined {
  const names = { ...parseApiVersion(apiVersion), kind };
  const documents = [documentOf(names), ...otherDocuments.map(openApiDocument)].filter(
    (document): document is OpenApiDocument => document !== undefined,
  );
  for (const document of documents) {
    const typeName = rootTypeName(document, names);
    const type = typeName === undefined ? undefined : wireTypeOf(document, typeName);
    if (type?.type === 'message') return type;
  }
  return undefined;
}
