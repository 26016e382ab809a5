// SPDX-License-Identifier: Apache-2.0
import { goPlain, goSyntax, goTypeName } from '../json/go-format.ts';
import { isObject, type Json } from '../json/json.ts';
import type { FieldType, ListType, MapType, ScalarType } from './field-type.ts';
import { elementKey, itemElement } from './list-items.ts';

/** Why a value does not match a type, with the messages of server-side apply. */
export function typedErrors(type: FieldType, value: Json): readonly string[] {
  const errors: string[] = [];
  validate(type, value, '', errors);
  return errors;
}

function validate(type: FieldType, value: Json, path: string, errors: string[]): void {
  if (value === null) return;
  switch (type.kind) {
    case 'deduced':
      return;
    case 'scalar': {
      const problem = scalarProblem(type, value);
      if (problem) errors.push(`${path}: ${problem}`);
      return;
    }
    case 'map':
      if (isObject(value)) validateFields(type, value, path, errors);
      else errors.push(`${path}: expected map, got &{${goPlain(value)}}`);
      return;
    case 'list':
      if (Array.isArray(value)) validateItems(type, value, path, errors);
      else errors.push(`${path}: expected list, got &{${goPlain(value)}}`);
  }
}

function scalarProblem({ only }: ScalarType, value: Json): string | undefined {
  switch (only) {
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goTypeName(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goPlain(value)}}`;
    default:
      return typeof value === 'object' ? `expected any scalar, got &{${goPlain(value)}}` : undefined;
  }
}

function validateFields(
  type: MapType,
  object: { readonly [key: string]: Json | undefined },
  path: string,
  errors: string[],
): void {
  for (const [key, item] of Object.entries(object)) {
    if (item === undefined) continue;
    const field = type.field(key) ?? (type.closed ? undefined : type.element);
    if (field) validate(field, item, `${path}.${key}`, errors);
    else errors.push(`${path}.${key}: field not declared in schema`);
  }
}

function validateItems(type: ListType, items: readonly Json[], path: string, errors: string[]): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const element = type.mode === 'atomic' ? `i:${index}` : itemElement(type, item);
    if (element === undefined) {
      const key = JSON.stringify(type.keys[0] ?? '');
      errors.push(
        `${path}: element ${index}: associative list with keys has an element that omits key field ${key} (and doesn't have default value)`,
      );
      continue;
    }
    validate(type.element, item, `${path}${elementKey(element)}`, errors);
    if (seen.has(element)) errors.push(`${path}: duplicate entries for key ${elementKey(element)}`);
    seen.add(element);
  }
}
