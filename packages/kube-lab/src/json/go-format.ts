// SPDX-License-Identifier: Apache-2.0
import { isObject, type Json } from './json.ts';

/** A JSON value as Go's `%v` prints it: `map[a:1 b:[x y]]`. Messages of the real server contain such texts. */
export function goPlain(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPlain).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goPlain(value[key])}`).join(' ')}]`;
}

/** A JSON value as Go's `%#v` prints it: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: Json | undefined): string {
  if (value === undefined || value === null) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value);
  const keys = Object.keys(value).sort();
  return `map[string]interface {}{${keys.map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`).join(', ')}}`;
}

/** The Go type of a decoded JSON value, as `%T` prints it. */
export function goTypeName(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return value === null ? '<nil>' : 'string';
}
