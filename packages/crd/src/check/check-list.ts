// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '../structural-schema.ts';

const scalarTypes: readonly unknown[] = ['string', 'integer', 'number', 'boolean'];

/**
 * The errors of sets and keyed lists. The API server has to identify each of their items: in a set by value, in a keyed
 * list by the keys.
 */
export function checkList(schema: StructuralSchema): readonly string[] {
  const { items } = schema;
  if (!items) return [];
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return [...checkNotNullable(items), ...checkSetItems(items)];
    case 'map':
      return [...checkNotNullable(items), ...checkKeys(items, schema['x-kubernetes-list-map-keys'] ?? [])];
    default:
      return [];
  }
}

function checkNotNullable(items: StructuralSchema): readonly string[] {
  return items.nullable ? ['the items of a set or of a keyed list cannot be nullable'] : [];
}

function checkSetItems(items: StructuralSchema): readonly string[] {
  return scalarTypes.includes(items.type) ? [] : ['the items of a set must be strings, numbers or booleans'];
}

function checkKeys(items: StructuralSchema, keys: readonly string[]): readonly string[] {
  if (items.type !== 'object') return ['the items of a keyed list must be objects'];
  if (keys.length === 0) return ['a keyed list needs at least one key'];
  const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
  return [
    ...twice.map((key) => `the key ${key} is listed twice`),
    ...keys.flatMap((key) => {
      const field = items.properties?.[key];
      if (!field) return [`the key ${key} is not a field of the items`];
      if (!scalarTypes.includes(field.type)) return [`the key ${key} must be a string, a number or a boolean`];
      const isAlwaysThere = items.required?.includes(key) || 'default' in field;
      return isAlwaysThere ? [] : [`the key ${key} must be required or have a default`];
    }),
  ];
}
