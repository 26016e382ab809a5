// SPDX-License-Identifier: Apache-2.0
import { cloneJson, isObject, type Json, type JsonObject } from '../../json/json.ts';
import type { SchemaNode } from './schema-node.ts';

/** Removes, in place, fields that are null although the schema does not allow null and has no default for them. */
export function pruneNulls(value: Json | undefined, node: SchemaNode | undefined): void {
  if (!node) return;
  if (Array.isArray(value)) {
    for (const item of value) pruneNulls(item, node.items);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const below = fieldOf(node, key);
      if (item === null && below && !below.nullable && below.fallback === undefined) delete value[key];
      else pruneNulls(item, below);
    }
  }
}

/** Sets defaults recursively, in place. */
export function applyDefaults(value: Json | undefined, node: SchemaNode | undefined): void {
  if (!node) return;
  if (Array.isArray(value)) applyToItems(value, node.items);
  else if (isObject(value)) applyToFields(value, node);
}

function applyToFields(object: JsonObject, node: SchemaNode): void {
  for (const [key, property] of node.properties) {
    if (property.fallback === undefined) continue;
    const present = object[key];
    if (present === undefined || isForbiddenNull(present, property)) object[key] = cloneJson(property.fallback);
  }
  for (const [key, item] of Object.entries(object)) {
    const below = fieldOf(node, key);
    if (!below) continue;
    if (item === null && !node.properties.has(key) && isForbiddenNull(item, below)) {
      object[key] = cloneJson(below.fallback ?? null);
    }
    applyDefaults(object[key], below);
  }
}

function applyToItems(items: Json[], node: SchemaNode | undefined): void {
  if (!node) return;
  for (const [index, item] of items.entries()) {
    if (isForbiddenNull(item, node)) items[index] = cloneJson(node.fallback ?? null);
    applyDefaults(items[index], node);
  }
}

function isForbiddenNull(value: Json | undefined, node: SchemaNode): boolean {
  return value === null && !node.nullable;
}

function fieldOf(node: SchemaNode, key: string): SchemaNode | undefined {
  return node.properties.get(key) ?? (node.additional === true ? undefined : node.additional);
}
