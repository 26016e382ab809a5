// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@operator-parts/crd';

/** The names of types in messages. */
const words: Readonly<Record<NonNullable<StructuralSchema['type']>, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

/**
 * The first violation of `schema` in `value`, as the continuation of the document's name; undefined if there is none.
 * Null is not a value, unknown fields are not allowed, and items of keyed lists must be unique. Whether a value makes
 * sense (an existing image, a valid port) is not checked.
 */
export function problemIn(value: unknown, schema: StructuralSchema, path = ''): string | undefined {
  if (!isOfType(value, schema)) return `must hold ${wordFor(schema)} as ${path}`;
  if (Array.isArray(value)) return problemInList(value, schema, path);
  return isObject(value) ? problemInObject(value, schema, path) : undefined;
}

function problemInObject(value: Fields, schema: StructuralSchema, path: string): string | undefined {
  const place = path === '' ? 'its config' : path;
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name) || value[name] === '');
  if (missing !== undefined) return `has no ${missing} in ${place}`;
  for (const [name, field] of Object.entries(value)) {
    const known = Object.hasOwn(schema.properties ?? {}, name)
      ? schema.properties?.[name]
      : schema.additionalProperties;
    if (!known) return `has "${name}" in ${place}, where nothing of that name is known`;
    const problem = problemIn(field, known, path === '' ? name : `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemInList(items: readonly unknown[], schema: StructuralSchema, path: string): string | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const problem = problemIn(item, schema.items ?? {}, `${path}[${index}]`);
    if (problem !== undefined) return problem;
    const identity = keys.map((key) => (item as Fields)[key] ?? schema.items?.properties?.[key]?.default);
    if (keys.length > 0 && seen.has(JSON.stringify(identity))) {
      return `has two items with ${keys.map((key, at) => `${key} ${String(identity[at])}`).join(' and ')} in ${path}`;
    }
    seen.add(JSON.stringify(identity));
  }
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wordFor(schema: StructuralSchema): string {
  if (schema.pattern !== undefined) return 'a quantity';
  return schema.type === undefined ? 'a whole number or a string' : words[schema.type];
}

function isOfType(value: unknown, schema: StructuralSchema): boolean {
  // Quantities may be numbers.
  if (schema.pattern !== undefined) {
    return (typeof value === 'string' || typeof value === 'number') && new RegExp(schema.pattern).test(String(value));
  }
  const { type } = schema;
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return isInteger(value, schema.format);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return typeof value === 'string' || isInteger(value, 'int32');
  }
}

function isInteger(value: unknown, format: string | undefined): boolean {
  if (!Number.isSafeInteger(value)) return false;
  return format !== 'int32' || Math.abs(Number(value)) < 2 ** 31;
}
