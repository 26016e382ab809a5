// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { discoveryFile, openApiFiles } from '../generated/index.ts';

/** One resource as aggregated discovery lists it. */
export interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: GroupVersionKind;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: GroupVersionKind;
    readonly verbs: readonly string[];
  }[];
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly DiscoveredResource[] }[];
  }[];
}

interface CapturedDiscovery {
  readonly version: Readonly<Record<string, string>>;
  readonly api: Discovery;
  readonly apis: Discovery;
}

/** An OpenAPI v3 document of one group and version, as far as the server itself uses it. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> };
}

/** One type of an OpenAPI document. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly anyOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly required?: readonly string[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

let discovery: CapturedDiscovery | undefined;
const documents = new Map<string, OpenApiDocument | undefined>();

/** The discovery answers of a real server of the supported version. */
export function capturedDiscovery(): CapturedDiscovery {
  discovery ??= JSON.parse(readGenerated(discoveryFile).toString('utf8')) as CapturedDiscovery;
  return discovery;
}

/** The keys of the existing documents, such as `api/v1` and `apis/apps/v1`. */
export function openApiKeys(): readonly string[] {
  return Object.keys(openApiFiles);
}

/** The text of one document; undefined if the key does not exist. */
export function openApiText(key: string): string | undefined {
  const file = openApiFiles[key];
  return file === undefined ? undefined : gunzipSync(readGenerated(file)).toString('utf8');
}

/** One document, parsed once for all servers of the process. */
export function openApiDocument(key: string): OpenApiDocument | undefined {
  if (!documents.has(key)) {
    const text = openApiText(key);
    documents.set(key, text === undefined ? undefined : (JSON.parse(text) as OpenApiDocument));
  }
  return documents.get(key);
}

function readGenerated(file: string): Buffer {
  return readFileSync(new URL(`../generated/${file}`, import.meta.url));
}
