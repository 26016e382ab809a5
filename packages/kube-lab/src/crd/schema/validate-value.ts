// SPDX-License-Identifier: Apache-2.0

import { goPlain } from '../../json/go-format.ts';
import { asArray, equalJson, isObject, type Json, type JsonObject } from '../../json/json.ts';
import {
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../../validation/field-error.ts';
import { correlatedItem } from './correlate.ts';
import { hasFormat } from './formats.ts';
import type { SchemaNode, ValueLimits } from './schema-node.ts';

/**
 * The validation errors of a value by its schema, with the real server's messages. With `old`, unchanged parts are not
 * checked: rules that became stricter apply to changes only.
 */
export function validateValue(node: SchemaNode, value: Json, path: string, old?: Json): readonly FieldError[] {
  const errors: FieldError[] = [];
  visit(node, value, path, old, errors);
  return errors;
}

function visit(node: SchemaNode, value: Json, path: string, old: Json | undefined, errors: FieldError[]): void {
  if (old !== undefined && equalJson(value, old)) return;
  if (value === null && node.nullable) return;
  const mismatch = typeErrors(node, value, path);
  if (mismatch.length > 0) {
    errors.push(...mismatch);
    return;
  }
  checkLimits(node, value, path, errors);
  checkJunctors(node, value, path, errors);
  if (isObject(value)) visitFields(node, value, path, old, errors);
  else if (Array.isArray(value)) visitItems(node, value, path, old, errors);
}

function visitFields(
  node: SchemaNode,
  value: JsonObject,
  path: string,
  old: Json | undefined,
  errors: FieldError[],
): void {
  for (const name of node.required) {
    if (value[name] === undefined) errors.push(required(child(path, name)));
  }
  for (const [key, item] of Object.entries(value)) {
    const property = node.properties.get(key);
    const below = property ?? (node.additional === true ? undefined : node.additional);
    if (!below || item === undefined) continue;
    visit(below, item, child(path, key), isObject(old) ? old[key] : undefined, errors);
  }
}

function visitItems(
  node: SchemaNode,
  value: readonly Json[],
  path: string,
  old: Json | undefined,
  errors: FieldError[],
): void {
  const { items } = node;
  if (!items) return;
  for (const [index, item] of value.entries()) {
    visit(items, item, `${path}[${index}]`, correlatedItem(node, item, asArray(old)), errors);
  }
}

function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function typeErrors(node: SchemaNode, value: Json, path: string): readonly FieldError[] {
  const actual = typeName(value);
  const allowed = node.intOrString ? ['integer', 'string'] : node.type ? [node.type] : [];
  if (allowed.length === 0) return [];
  if (allowed.includes(actual) || (actual === 'integer' && allowed.includes('number'))) return [];
  const mismatch = (wanted: string, found: string) =>
    typeInvalid(path || '<nil>', found, `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`);
  if (node.type !== 'integer' || actual !== 'number') return [mismatch(allowed.join(','), actual)];
  // A fraction in place of an integer gives two errors: one for its type and one for its range.
  const first = node.format ? mismatch(node.format, 'float64') : mismatch('integer', 'number');
  return [first, integerRange(node, path)];
}

function integerRange({ format }: SchemaNode, path: string): FieldError {
  const kind = format ? `integer with format ${format}` : 'integer (default format)';
  return invalid('<nil>', '', `Checked value must be of type ${kind} in ${path}`);
}

function checkLimits(node: SchemaNode, value: Json, path: string, errors: FieldError[]): void {
  const { limits } = node;
  if (limits.enum && !limits.enum.some((one) => equalJson(one, value))) {
    const values = limits.enum.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
    errors.push(notSupported(path, value, values));
  }
  if (typeof value === 'string') checkString(node, value, path, errors);
  else if (typeof value === 'number') checkNumber(node, value, path, errors);
  else if (Array.isArray(value)) checkArray(node, value, path, errors);
  else if (isObject(value)) checkObject(node, value, path, errors);
}

function checkString({ limits, format }: SchemaNode, value: string, path: string, errors: FieldError[]): void {
  const { maxLength, minLength, pattern } = limits;
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) {
    errors.push(tooLong(path, maxLength));
  } else if (minLength !== undefined && length < minLength) {
    errors.push(invalid(path, value, `${path} in body should be at least ${minLength} chars long`));
  } else if (pattern && !pattern.expression.test(value)) {
    errors.push(invalid(path, value, `${path} in body should match '${pattern.text}'`));
  }
  if (format && !hasFormat(format, value)) {
    errors.push(typeInvalid(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`));
  }
}

const integerFormats: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };

function checkNumber(node: SchemaNode, value: number, path: string, errors: FieldError[]): void {
  const { limits, format, type } = node;
  const bound = type === 'integer' && format ? integerFormats[format] : undefined;
  if (bound !== undefined && (value >= bound || value < -bound)) {
    errors.push(integerRange(node, path));
  }
  checkRange(limits, value, path, errors);
  if (limits.multipleOf !== undefined && !Number.isInteger(value / limits.multipleOf)) {
    errors.push(invalid(path, value, `${path} in body should be a multiple of ${limits.multipleOf}`));
  }
}

function checkRange(limits: ValueLimits, value: number, path: string, errors: FieldError[]): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = limits;
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    const bound = exclusiveMaximum ? `${maximum}` : `or equal to ${maximum}`;
    errors.push(invalid(path, value, `${path} in body should be less than ${bound}`));
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    const bound = exclusiveMinimum ? `${minimum}` : `or equal to ${minimum}`;
    errors.push(invalid(path, value, `${path} in body should be greater than ${bound}`));
  }
}

function checkArray({ limits }: SchemaNode, value: readonly Json[], path: string, errors: FieldError[]): void {
  const { minItems, maxItems, uniqueItems } = limits;
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value.length, maxItems));
  if (minItems !== undefined && value.length < minItems) {
    errors.push(invalid(path, value.length, `${path} in body should have at least ${minItems} items`));
  }
  if (uniqueItems && value.some((item, index) => value.slice(0, index).some((one) => equalJson(one, item)))) {
    errors.push(invalid(path, goPlain([...value]), `${path} in body shouldn't contain duplicates`));
  }
}

function checkObject({ limits }: SchemaNode, value: JsonObject, path: string, errors: FieldError[]): void {
  const { minProperties, maxProperties } = limits;
  const count = Object.keys(value).length;
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(path, count, maxProperties));
  if (minProperties !== undefined && count < minProperties) {
    errors.push(invalid(path, count, `${path} in body should have at least ${minProperties} properties`));
  }
}

function checkJunctors(node: SchemaNode, value: Json, path: string, errors: FieldError[]): void {
  const failures = (schemas: readonly SchemaNode[]) => schemas.map((schema) => validateValue(schema, value, path));
  const passing = (results: readonly (readonly FieldError[])[]) => results.filter((found) => found.length === 0).length;
  const say = (detail: string) => errors.push(invalid('<nil>', '', `${JSON.stringify(path)} ${detail}`));
  const best = (results: readonly (readonly FieldError[])[]) =>
    results.reduce((least, found) => (found.length < least.length ? found : least), results[0] ?? []);
  const anyOf = failures(node.anyOf);
  if (anyOf.length > 0 && passing(anyOf) === 0) {
    say('must validate at least one schema (anyOf)');
    errors.push(...best(anyOf));
  }
  const oneOf = failures(node.oneOf);
  if (oneOf.length > 0 && passing(oneOf) !== 1) {
    const count = passing(oneOf);
    const found = count === 0 ? 'Found none valid' : `Found ${count} valid alternatives`;
    say(`must validate one and only one schema (oneOf). ${found}`);
    if (count === 0) errors.push(...best(oneOf));
  }
  const allOf = failures(node.allOf);
  if (allOf.length > 0 && passing(allOf) < allOf.length) {
    const detail = passing(allOf) === 0 ? '. None validated' : '';
    say(`must validate all the schemas (allOf)${detail}`);
    errors.push(...allOf.flat());
  }
  if (node.not && validateValue(node.not, value, path).length === 0) say('must not validate the schema (not)');
}
