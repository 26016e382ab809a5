// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@operator-parts/crd';
import { conditionReasons, conditionTypes } from './reasons.ts';

/**
 * Paths of fields that a schema does not name. Where the schema preserves unknown fields for old objects, the API server also stores a
 * misspelt field, and the operator ignores that field.
 */
function unknownFieldsOf(schema: StructuralSchema, value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => unknownFieldsOf(items, item, `${path}[${index}]`)) : [];
  }
  const { properties, additionalProperties } = schema;
  if (typeof value !== 'object' || value === null || (!properties && !additionalProperties)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const known = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return known ? unknownFieldsOf(known, field, `${path}.${name}`) : [`${path}.${name}`];
  });
}

/** Unknown fields in the spec of an object. */
export function unknownSpecFields(kind: { readonly schema: StructuralSchema }, spec: unknown): readonly string[] {
  return unknownFieldsOf(kind.schema.properties?.['spec'] ?? {}, spec, 'spec');
}

/** The condition about unknown fields, the same for each kind; undefined if there are none. */
export function unknownFieldsClaim(kind: string, names: readonly string[]) {
  const [only] = names;
  if (only === undefined) return undefined;
  const message =
    names.length === 1
      ? `${only} is not a field of an ${kind} and is ignored. Correct the name of the field, or remove the field.`
      : `${names.join(', ')} are not fields of an ${kind} and are ignored. Correct the names of these fields, or remove the fields.`;
  const { unknownFields: type } = conditionTypes;
  return { type, status: 'True', reason: conditionReasons.notInSchema, message: message.slice(0, 1024) } as const;
}
