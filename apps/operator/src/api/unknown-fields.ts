// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@etcd-operator/crd';
import { conditionReasons, conditionTypes } from './reasons.ts';

/**
 * Paths of fields that a schema does not name. The API server stores them where fields of other operators' times have to survive, so
 * that a field whose name is misspelt is stored, too, and does nothing.
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

/** Of the spec of an object. */
export function unknownSpecFields(kind: { readonly schema: StructuralSchema }, spec: unknown): readonly string[] {
  return unknownFieldsOf(kind.schema.properties?.['spec'] ?? {}, spec, 'spec');
}

/** The condition that names them, the same for each kind; undefined if there are none. */
export function unknownFieldsClaim(kind: string, names: readonly string[]) {
  const [only] = names;
  if (only === undefined) return undefined;
  const message =
    names.length === 1
      ? `${only} is not a field of an ${kind} and is ignored. Correct its name, or remove it.`
      : `${names.join(', ')} are not fields of an ${kind} and are ignored. Correct their names, or remove them.`;
  const { unknownFields: type } = conditionTypes;
  return { type, status: 'True', reason: conditionReasons.notInSchema, message: message.slice(0, 1024) } as const;
}
