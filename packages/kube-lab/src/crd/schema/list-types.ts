// SPDX-License-Identifier: Apache-2.0
import { isObject, type Json, type JsonObject } from '../../json/json.ts';
import { duplicate, type FieldError } from '../../validation/field-error.ts';
import type { SchemaNode } from './schema-node.ts';

/** Duplicate items in lists of type set or map. */
export function validateListTypes(node: SchemaNode, value: Json | undefined, path: string): readonly FieldError[] {
  if (Array.isArray(value)) {
    const below = value.flatMap((item, index) =>
      node.items ? validateListTypes(node.items, item, `${path}[${index}]`) : [],
    );
    return [...duplicates(node, value, path), ...below];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const below = node.properties.get(key) ?? (node.additional === true ? undefined : node.additional);
    return below ? validateListTypes(below, item, path === '' ? key : `${path}.${key}`) : [];
  });
}

function duplicates(node: SchemaNode, items: readonly Json[], path: string): readonly FieldError[] {
  if (node.listType !== 'set' && node.listType !== 'map') return [];
  const seen = new Set<string>();
  const reported = new Set<string>();
  return items.flatMap((item, index) => {
    const key = node.listType === 'set' ? item : keysOf(node, item);
    const text = JSON.stringify(key);
    if (!seen.has(text)) {
      seen.add(text);
      return [];
    }
    if (reported.has(text)) return [];
    reported.add(text);
    return [duplicate(`${path}[${index}]`, key)];
  });
}

function keysOf(node: SchemaNode, item: Json): JsonObject {
  const keys: JsonObject = {};
  if (!isObject(item)) return keys;
  for (const key of [...node.listMapKeys].sort()) {
    const value = item[key] ?? node.items?.properties.get(key)?.fallback;
    if (value !== undefined) keys[key] = value;
  }
  return keys;
}
