// SPDX-License-Identifier: Apache-2.0

/** A schema in kube-apiserver's OpenAPI v3 documents, with Kubernetes' extensions. */
export interface Schema {
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The used part of a document of `/openapi/v3`. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const schemaPrefix = '#/components/schemas/';

/** The referenced schema, directly or as the only part of an `allOf` (which allows a default). */
export function referenceOf(schema: Schema): string | undefined {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference === undefined) return undefined;
  if (!reference.startsWith(schemaPrefix)) throw new Error(`a reference that is not to a schema: ${reference}`);
  return reference.slice(schemaPrefix.length);
}

/** All schemas in the documents, by name. Shared ones are repeated identically. */
export function schemasOf(documents: Iterable<OpenApiDocument>): ReadonlyMap<string, Schema> {
  const schemas = new Map<string, Schema>();
  for (const document of documents) {
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) schemas.set(name, schema);
  }
  return schemas;
}

/** The schema with that name; the server's documents contain all references. */
export function schemaNamed(schemas: ReadonlyMap<string, Schema>, name: string): Schema {
  const schema = schemas.get(name);
  if (!schema) throw new Error(`the server refers to a schema it does not define: ${name}`);
  return schema;
}

/** The direct child schemas: fields, items, values. */
function childrenOf(schema: Schema): readonly Schema[] {
  const { properties, items, additionalProperties } = schema;
  const values = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [...Object.values(properties ?? {}), ...(items ? [items] : []), ...values];
}

/** All schema names reachable from these, including themselves. */
export function reachableFrom(roots: readonly string[], schemas: ReadonlyMap<string, Schema>): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (schema: Schema) => {
    const name = referenceOf(schema);
    if (name === undefined) for (const child of childrenOf(schema)) visit(child);
    else enter(name);
  };
  const enter = (name: string) => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const child of childrenOf(schemaNamed(schemas, name))) visit(child);
  };
  for (const root of roots) enter(root);
  return reached;
}
