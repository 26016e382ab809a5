// SPDX-License-Identifier: Apache-2.0
import type { SchemaNode } from '../crd/schema/schema-node.ts';
import { isObject, type Json } from '../json/json.ts';
import { celDuration } from './environment.ts';

/** A value in CEL: integers are bigints, times are dates, and field names are escaped. */
export type CelValue = null | boolean | number | bigint | string | Date | Uint8Array | object;

const reserved = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

/**
 * How an expression writes a field whose name is not an identifier: `a-b` is `a__dash__b`, `namespace` is
 * `__namespace__`.
 */
export function escapedName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

/** Converts a stored value by its schema. */
export function toCel(node: SchemaNode | undefined, value: Json | undefined): CelValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return node?.type === 'number' || !Number.isInteger(value) ? value : BigInt(value);
  if (typeof value === 'string') return stringToCel(node, value);
  if (Array.isArray(value)) return value.map((item) => toCel(node?.items, item));
  return isObject(value) ? objectToCel(node, value) : value;
}

function stringToCel(node: SchemaNode | undefined, value: string): CelValue {
  switch (node?.intOrString ? undefined : node?.format) {
    case 'date-time':
    case 'date': {
      const time = new Date(value);
      return Number.isNaN(time.getTime()) ? value : time;
    }
    case 'duration':
      return celDuration(value) ?? value;
    case 'byte':
      return new Uint8Array(Buffer.from(value, 'base64'));
    default:
      return value;
  }
}

function objectToCel(node: SchemaNode | undefined, value: { readonly [key: string]: Json | undefined }): CelValue {
  const isMap = !node || node.properties.size === 0;
  const converted: Record<string, CelValue> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined || key === '__proto__') continue;
    const below = node?.properties.get(key) ?? (node?.additional === true ? undefined : node?.additional);
    converted[isMap ? key : escapedName(key)] = toCel(below, item);
  }
  return converted;
}
