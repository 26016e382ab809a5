// SPDX-License-Identifier: Apache-2.0
import type { OpenApiDocument, OpenApiSchema } from '../registry/captured-api.ts';
import { goFields } from '../schema/go-shapes.ts';

/**
 * How a value of an API type is encoded in protobuf. The structure comes from OpenAPI, field numbers from the Go types.
 */
export type WireType =
  | { readonly type: 'string' | 'bytes' | 'integer' | 'double' | 'boolean' }
  | { readonly type: 'quantity' | 'int-or-string' | 'time' | 'micro-time' | 'duration' | 'raw' }
  | { readonly type: 'schema-or-array' | 'schema-or-boolean' | 'schema-or-strings'; readonly schema: WireType }
  /** A list that is a separate message, such as the values of `extra`. */
  | { readonly type: 'string-list' }
  | { readonly type: 'list' | 'map'; readonly item: WireType }
  | MessageType;

/** A struct: its fields by number. Created on first use, because a type can contain itself. */
export interface MessageType {
  readonly type: 'message';
  readonly fields: ReadonlyMap<number, MessageField>;
}

export interface MessageField {
  /** The name in JSON; undefined for an embedded struct, whose fields belong to the outer one in JSON. */
  readonly name: string | undefined;
  readonly wire: WireType;
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const special: Readonly<Record<string, WireType>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'quantity' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'int-or-string' },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'raw' },
  [`${meta}.Time`]: { type: 'time' },
  [`${meta}.MicroTime`]: { type: 'micro-time' },
  [`${meta}.Duration`]: { type: 'duration' },
  [`${meta}.FieldsV1`]: { type: 'raw' },
  [`${extensions}.JSON`]: { type: 'raw' },
};

const unions = {
  [`${extensions}.JSONSchemaPropsOrArray`]: 'schema-or-array',
  [`${extensions}.JSONSchemaPropsOrBool`]: 'schema-or-boolean',
  [`${extensions}.JSONSchemaPropsOrStringArray`]: 'schema-or-strings',
} as const;

const known = new Map<string, WireType>();

/** The wire type of a name in an OpenAPI document, created once per process. */
export function wireTypeOf(document: OpenApiDocument, typeName: string): WireType {
  const present = special[typeName] ?? known.get(typeName);
  if (present) return present;
  const made = newWireType(document, typeName);
  known.set(typeName, made);
  return made;
}

function newWireType(document: OpenApiDocument, typeName: string): WireType {
  const union = (unions as Readonly<Record<string, (typeof unions)[keyof typeof unions]>>)[typeName];
  if (union) return { type: union, schema: wireTypeOf(document, `${extensions}.JSONSchemaProps`) };
  const schema = document.components?.schemas?.[typeName] ?? {};
  return schema.properties ? messageType(document, schema, typeName) : fromSchema(document, schema, '');
}

function messageType(document: OpenApiDocument, schema: OpenApiSchema, typeName: string): MessageType {
  let fields: ReadonlyMap<number, MessageField> | undefined;
  return {
    type: 'message',
    get fields() {
      fields ??= fieldsOf(document, schema, typeName);
      return fields;
    },
  };
}

/** The fields of a struct. `schema` describes the struct, or, for an embedded struct, the struct that contains it. */
function fieldsOf(document: OpenApiDocument, schema: OpenApiSchema, typeName: string): Map<number, MessageField> {
  const fields = new Map<number, MessageField>();
  for (const [name, [goType, , number]] of Object.entries(goFields(typeName))) {
    if (number === 0) continue;
    if (name.startsWith('+')) {
      const embedded = [...typeName.split('.').slice(0, -1), name.slice(1)].join('.');
      fields.set(number, { name: undefined, wire: messageType(document, schema, embedded) });
      continue;
    }
    const property = schema.properties?.[name];
    if (property) fields.set(number, { name, wire: fromSchema(document, property, goType) });
  }
  return fields;
}

function fromSchema(document: OpenApiDocument, schema: OpenApiSchema, goType: string): WireType {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref !== undefined) return wireTypeOf(document, ref.slice('#/components/schemas/'.length));
  switch (schema.type) {
    case 'string':
      return { type: schema.format === 'byte' ? 'bytes' : 'string' };
    case 'integer':
      return { type: 'integer' };
    case 'number':
      return { type: 'double' };
    case 'boolean':
      return { type: 'boolean' };
    case 'array':
      if (goType === 'v1.ExtraValue') return { type: 'string-list' };
      return { type: 'list', item: fromSchema(document, schema.items ?? {}, goType.replace(/^\[\]/, '')) };
    case 'object':
      return mapOf(document, schema, goType);
    default:
      return { type: 'raw' };
  }
}

function mapOf(document: OpenApiDocument, { additionalProperties }: OpenApiSchema, goType: string): WireType {
  if (typeof additionalProperties !== 'object') return { type: 'raw' };
  return { type: 'map', item: fromSchema(document, additionalProperties, goType.replace(/^map\[[^\]]*\]/, '')) };
}
