// SPDX-License-Identifier: Apache-2.0
import { isObject, type Json } from '../json/json.ts';
import type { ListType } from './field-type.ts';

/** The element that names an item of an associative list or set; undefined if the item lacks its keys. */
export function itemElement(type: ListType, item: Json): string | undefined {
  if (type.mode === 'set') return `v:${JSON.stringify(item)}`;
  if (!isObject(item)) return undefined;
  let text = '';
  for (const key of type.keys) {
    const value = item[key] ?? type.keyDefault(key) ?? undefined;
    if (value === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${JSON.stringify(value)}`;
  }
  return text === '' ? undefined : `k:{${text}}`;
}

/** The items of a list by name, in order. Of items with the same name, the first one counts. */
export function indexItems(type: ListType, items: readonly Json[]): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const item of items) {
    const element = itemElement(type, item);
    if (element !== undefined && !found.has(element)) found.set(element, item);
  }
  return found;
}

/** An element of a path as messages show it: `[name="a"]`, `[="x"]`, `[0]`. */
export function elementKey(element: string): string {
  const body = element.slice(2);
  if (element.startsWith('v:')) return `[=${body}]`;
  if (element.startsWith('i:')) return `[${body}]`;
  const keys = JSON.parse(body) as Readonly<Record<string, unknown>>;
  const parts = Object.entries(keys).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `[${parts.join(',')}]`;
}
