// SPDX-License-Identifier: Apache-2.0
import { isObject, type Json } from '../../json/json.ts';
import type { SchemaNode } from './schema-node.ts';

/** The item of the old list that has the same keys. Undefined if there is none, or if the list is not of type map. */
export function correlatedItem(node: SchemaNode, item: Json, old: readonly Json[]): Json | undefined {
  if (node.listType !== 'map' || !isObject(item)) return undefined;
  const keyOf = (value: Json, key: string) => {
    const fallback = node.items?.properties.get(key)?.fallback;
    return JSON.stringify((isObject(value) ? value[key] : undefined) ?? fallback ?? null);
  };
  return old.find((one) => isObject(one) && node.listMapKeys.every((key) => keyOf(one, key) === keyOf(item, key)));
}
