// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { JsonObject } from '../json/json.ts';
import { capturedDiscovery, openApiKeys, openApiText } from '../registry/captured-api.ts';
import type { CustomDocuments } from './open-api.ts';
import { swaggerOf } from './swagger.ts';
import { swaggerProtobuf } from './swagger-protobuf.ts';

/** The document of `/openapi/v2`, in both of its forms. */
export interface OldOpenApi {
  readonly text: string;
  /** Created on the first request. */
  readonly protobuf: () => Uint8Array;
  readonly etag: string;
}

const known = new WeakMap<CustomDocuments, { readonly hash: string; readonly document: OldOpenApi }>();

/**
 * The OpenAPI v2 document of everything that is served, including custom resources. Cached until custom resources
 * change, because the document has several megabytes.
 */
export function oldOpenApi(custom: CustomDocuments): OldOpenApi {
  const hash = createHash('sha256')
    .update(JSON.stringify([...custom]))
    .digest('hex');
  const last = known.get(custom);
  if (last?.hash === hash) return last.document;
  const document = newDocument(custom);
  known.set(custom, { hash, document });
  return document;
}

function newDocument(custom: CustomDocuments): OldOpenApi {
  const texts = [...openApiKeys().map((key) => openApiText(key) ?? '{}'), ...custom.values()];
  const { major = '1', minor = '' } = capturedDiscovery().version;
  const document = swaggerOf(
    texts.map((one) => JSON.parse(one) as JsonObject),
    `${major}.${minor}`,
  );
  const text = JSON.stringify(document);
  let protobuf: Uint8Array | undefined;
  return {
    text,
    protobuf: () => {
      protobuf ??= swaggerProtobuf(document);
      return protobuf;
    },
    etag: JSON.stringify(createHash('sha512').update(text).digest('hex').toUpperCase()),
  };
}
