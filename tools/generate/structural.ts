// SPDX-License-Identifier: Apache-2.0
import { referenceOf, type Schema } from './open-api.ts';
import { typeNameOf } from './type-names.ts';

/** A structural schema in which `$type` stands for another definition. */
export interface Definition {
  readonly $type?: string;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly additionalProperties?: Definition;
  readonly items?: Definition;
  readonly [keyword: string]: unknown;
}

/** What the conversion of one type needs to know about the others. */
export interface SchemaContext {
  keyOf(schemaName: string): string;
  resolve(schemaName: string): Schema;
  /** True if a field of this type keeps its default. */
  keepsDefault(field: string): boolean;
}

/**
 * A built-in type for use in a CustomResourceDefinition. Descriptions are removed (they would make every CRD ten times
 * as long), and so are enums and defaults: the server validates and defaults the built-in object when it is created.
 */
export function structuralOf(schema: Schema, around: SchemaContext): Definition {
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const definition = valueDefinition(field, around);
    const isKept = around.keepsDefault(name) && !schema.required?.includes(name) && field.default !== undefined;
    return [name, isKept ? { ...definition, default: field.default } : definition];
  });
  const mapType = schema['x-kubernetes-map-type'];
  return {
    type: 'object',
    ...(schema.required && { required: schema.required }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(mapType && { 'x-kubernetes-map-type': mapType }),
  };
}

function valueDefinition(schema: Schema, around: SchemaContext): Definition {
  const reference = referenceOf(schema);
  if (reference !== undefined) return wellKnownDefinition(reference) ?? { $type: around.keyOf(reference) };
  const { type, format, items, additionalProperties } = schema;
  return {
    ...(type && { type }),
    ...(format && { format }),
    ...(items && { items: valueDefinition(items, around), ...listKeywords(schema, items, around) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: valueDefinition(additionalProperties, around),
    }),
    ...(schema['x-kubernetes-map-type'] && { 'x-kubernetes-map-type': schema['x-kubernetes-map-type'] }),
  };
}

/** A keyed list requires that its keys are always present. */
function listKeywords(schema: Schema, items: Schema, around: SchemaContext): object {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (listType !== 'map') return listType ? { 'x-kubernetes-list-type': listType } : {};
  const item = around.resolve(referenceOf(items) ?? '');
  const isSure = (key: string) => item.required?.includes(key) || item.properties?.[key]?.default !== undefined;
  if (!keys.every(isSure)) return { 'x-kubernetes-list-type': 'atomic' };
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
}

const intOrString = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';
const strings = { type: 'object', additionalProperties: { type: 'string' } };
const time = { type: 'string', format: 'date-time' };

/** Types with a special form. `metadata` contains only the fields that a user can set on a new object. */
export function wellKnownDefinition(schemaName: string): Definition | undefined {
  if (!schemaName.startsWith('io.k8s.apimachinery.')) return undefined;
  return wellKnown[typeNameOf(schemaName).name];
}

const wellKnown: Readonly<Record<string, Definition>> = {
  Quantity: { ...intOrString, pattern: quantityPattern },
  IntOrString: intOrString,
  Time: time,
  MicroTime: time,
  RawExtension: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  ObjectMeta: {
    type: 'object',
    properties: {
      annotations: strings,
      finalizers: { type: 'array', items: { type: 'string' } },
      labels: strings,
      name: { type: 'string' },
      namespace: { type: 'string' },
    },
  },
};
