// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@operator-parts/crd';

/** Whether absent required fields are reported. */
type Missing = 'told' | 'passed over';

/**
 * Sentences about values that do not have the type of their schema; each begins with the path. Checks only types and required fields,
 * because code that reads the value depends only on these. Lengths, patterns and ranges are not checked.
 */
export function typeErrorsOf(
  schema: StructuralSchema,
  value: unknown,
  path: string,
  missing: Missing = 'told',
): readonly string[] {
  if (value === null) return schema.nullable || schema.type === undefined ? [] : [`${path} must not be null`];
  if (schema['x-kubernetes-int-or-string'])
    return typeof value === 'string' || typeof value === 'number' ? [] : [`${path} must be a number or a string`];
  switch (schema.type) {
    case undefined:
      return [];
    case 'object':
      return isObject(value) ? objectTypeErrors(schema, value, path, missing) : [`${path} must be an object`];
    case 'array':
      return Array.isArray(value) ? listTypeErrors(schema, value, path, missing) : [`${path} must be a list`];
    default: {
      const { name, words } = scalars[schema.type];
      return typeof value === name ? [] : [`${path} must be ${words}`];
    }
  }
}

/** The same sentences about a whole spec. Fields with the value null count as absent, because null means that the user left the field out. */
export function specTypeErrors(
  { schema }: { readonly schema: StructuralSchema },
  spec: unknown,
  missing: Missing = 'told',
): readonly string[] {
  return typeErrorsOf(schema.properties?.['spec'] ?? {}, withoutNulls(spec), 'spec', missing);
}

export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const present = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(present.map(([name, field]) => [name, withoutNulls(field)]));
}

const scalars = {
  string: { name: 'string', words: 'a string' },
  integer: { name: 'number', words: 'a number' },
  number: { name: 'number', words: 'a number' },
  boolean: { name: 'boolean', words: 'true or false' },
} as const;

function objectTypeErrors(
  { properties = {}, required = [], additionalProperties }: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
  missing: Missing,
): readonly string[] {
  const absent = missing === 'told' ? required.filter((name) => !Object.hasOwn(value, name)) : [];
  const wrong = Object.entries(value).flatMap(([name, field]) => {
    const wanted = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return wanted ? typeErrorsOf(wanted, field, `${path}.${name}`, missing) : [];
  });
  return [...absent.map((name) => `${path}.${name} is required`), ...wrong];
}

function listTypeErrors(
  { items }: StructuralSchema,
  value: readonly unknown[],
  path: string,
  missing: Missing,
): readonly string[] {
  return items ? value.flatMap((item, index) => typeErrorsOf(items, item, `${path}[${index}]`, missing)) : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && !Array.isArray(value);
}
