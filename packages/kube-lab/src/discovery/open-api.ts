// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { JsonObject } from '../json/json.ts';
import { openApiKeys, openApiText } from '../registry/captured-api.ts';

/** OpenAPI documents of custom resources, by key such as `apis/example.com/v1`. */
export type CustomDocuments = ReadonlyMap<string, string>;

const hashes = new Map<string, string>();

/** Answer of `/openapi/v3`: the list of documents, each with a hash of its text for caching. */
export function openApiIndex(custom: CustomDocuments): JsonObject {
  const builtin = openApiKeys().map((key) => [key, builtinHash(key)] as const);
  const own = [...custom].map(([key, text]) => [key, hashOf(text)] as const);
  const paths = [...builtin, ...own].map(([key, hash]) => [
    key,
    { serverRelativeURL: `/openapi/v3/${key}?hash=${hash}` },
  ]);
  return { paths: Object.fromEntries(paths) };
}

/** The text of one document. */
export function openApiDocumentText(key: string, custom: CustomDocuments): string | undefined {
  return custom.get(key) ?? openApiText(key);
}

function builtinHash(key: string): string {
  const known = hashes.get(key);
  if (known) return known;
  const hash = hashOf(openApiText(key) ?? '');
  hashes.set(key, hash);
  return hash;
}

function hashOf(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase();
}
