// SPDX-License-Identifier: Apache-2.0
import type { Json } from '../json/json.ts';
import type { OpenApiDocument, OpenApiSchema } from '../registry/captured-api.ts';
import { deducedType, type FieldType, type ListType, type MapType, scalarType } from './field-type.ts';

const compiled = new Map<string, FieldType>();

/** The ownership rules of a type in an OpenAPI document; created once per process. */
export function fieldTypeOf(document: OpenApiDocument, typeName: string): FieldType {
  const known = compiled.get(typeName);
  if (known) return known;
  const made = fromSchema(document, document.components?.schemas?.[typeName] ?? {});
  compiled.set(typeName, made);
  return made;
}

function fromSchema(document: OpenApiDocument, schema: OpenApiSchema): FieldType {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref !== undefined) {
    const type = fieldTypeOf(document, ref.slice('#/components/schemas/'.length));
    // A field can declare that a type which is granular elsewhere is atomic here.
    return schema['x-kubernetes-map-type'] === 'atomic' && type.kind === 'map' ? { ...type, atomic: true } : type;
  }
  switch (schema.type) {
    case 'array':
      return listOf(document, schema);
    case 'object':
      return mapOf(document, schema);
    default:
      return isUntyped(schema) ? deducedType : scalarOf(schema);
  }
}

/** Types that the document does not describe, such as JSONSchemaPropsOrArray, contain any JSON. */
function isUntyped({ type, format, oneOf }: OpenApiSchema): boolean {
  return type === undefined && format === undefined && oneOf === undefined;
}

const stringScalar: FieldType = { kind: 'scalar', only: 'string' };
const numericScalar: FieldType = { kind: 'scalar', only: 'numeric' };
const booleanScalar: FieldType = { kind: 'scalar', only: 'boolean' };

function scalarOf({ type, format }: OpenApiSchema): FieldType {
  if (type === 'string' && format !== 'int-or-string' && format !== 'date-time' && format !== 'byte')
    return stringScalar;
  if (type === 'integer' || type === 'number') return numericScalar;
  return type === 'boolean' ? booleanScalar : scalarType;
}

function mapOf(document: OpenApiDocument, schema: OpenApiSchema): FieldType {
  const { properties, additionalProperties } = schema;
  if (!properties && typeof additionalProperties !== 'object') return deducedType;
  const fields = new Map<string, FieldType>();
  const made: MapType = {
    kind: 'map',
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    field(name) {
      const known = fields.get(name);
      if (known) return known;
      const field = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!field) return undefined;
      const type = fromSchema(document, field);
      fields.set(name, type);
      return type;
    },
    element: typeof additionalProperties === 'object' ? fromSchema(document, additionalProperties) : deducedType,
    closed: properties !== undefined,
  };
  return made;
}

function listOf(document: OpenApiDocument, schema: OpenApiSchema): ListType {
  const items = schema.items ?? {};
  const mode = schema['x-kubernetes-list-type'];
  let element: FieldType | undefined;
  return {
    kind: 'list',
    mode: mode === 'map' || mode === 'set' ? mode : 'atomic',
    keys: [...(schema['x-kubernetes-list-map-keys'] ?? [])].sort(),
    keyDefault: (key) => propertyDefault(document, items, key),
    // Created on first use, because a type can contain itself.
    get element() {
      element ??= fromSchema(document, items);
      return element;
    },
  };
}

function propertyDefault(document: OpenApiDocument, schema: OpenApiSchema, key: string): Json | undefined {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  const target = ref === undefined ? schema : document.components?.schemas?.[ref.slice('#/components/schemas/'.length)];
  return target?.properties?.[key]?.default as Json | undefined;
}
