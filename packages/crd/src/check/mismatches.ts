// SPDX-License-Identifier: Apache-2.0
import type { Problem } from '../declaration-error.ts';
import type { StructuralSchema } from '../structural-schema.ts';
import { isInt32 } from './check-bounds.ts';
import { compileRe2 } from './regular-expression.ts';

/**
 * Where and why a value does not match a schema: what the server would refuse or drop. CEL rules and formats are not
 * checked. Messages continue the path: "size must be at least 1".
 */
export function mismatches(schema: StructuralSchema, value: unknown, path = ''): readonly Problem[] {
  if (schema.type === 'array' && Array.isArray(value)) return listMismatches(schema, value, path);
  if (schema.type === 'object' && isObject(value)) return objectMismatches(schema, value, path);
  const message = scalarProblem(schema, value);
  return message === undefined ? [] : [{ path, message }];
}

/** The error of a value that is not a list or object of the schema: of a scalar, or of a value of the wrong type. */
function scalarProblem(schema: StructuralSchema, value: unknown): string | undefined {
  if (value === null) return schema.nullable || isUntyped(schema) ? undefined : 'must not be null';
  if (schema['x-kubernetes-int-or-string']) return intOrStringProblem(schema, value);
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? stringProblem(schema, value) : 'must be a string';
    case 'integer':
    case 'number':
      return typeof value === 'number' ? numberProblem(schema, value) : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'array':
      return 'must be a list';
    case 'object':
      return 'must be an object';
    case undefined:
      return enumProblem(schema, value);
  }
  return undefined;
}

function intOrStringProblem(schema: StructuralSchema, value: unknown): string | undefined {
  if (typeof value === 'string') return stringProblem(schema, value);
  return Number.isInteger(value) ? undefined : 'must be a whole number or a string';
}

function isUntyped(schema: StructuralSchema): boolean {
  return schema.type === undefined && !schema['x-kubernetes-int-or-string'];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stringProblem(schema: StructuralSchema, value: string): string | undefined {
  const unlisted = enumProblem(schema, value);
  if (unlisted !== undefined) return unlisted;
  // The server counts characters, not UTF-16 units.
  const length = [...value].length;
  if (length < (schema.minLength ?? 0)) return `must have at least ${schema.minLength} characters`;
  if (length > (schema.maxLength ?? Number.POSITIVE_INFINITY))
    return `must have at most ${schema.maxLength} characters`;
  if (schema.pattern !== undefined && !matches(schema.pattern, value)) return `must match ${schema.pattern}`;
  return undefined;
}

function enumProblem({ enum: values }: StructuralSchema, value: unknown): string | undefined {
  return values && !values.some((one) => one === value) ? `must be one of ${values.join(', ')}` : undefined;
}

/** Any value matches an invalid pattern: `checkPattern` reports the pattern itself. */
function matches(pattern: string, value: string): boolean {
  try {
    return compileRe2(pattern).test(value);
  } catch {
    return true;
  }
}

function numberProblem(schema: StructuralSchema, value: number): string | undefined {
  if (!Number.isFinite(value)) return 'must be a finite number';
  if (schema.type === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
  if (schema.format === 'int32' && !isInt32(value)) return 'must fit into 32 bits';
  if (value < (schema.minimum ?? Number.NEGATIVE_INFINITY)) return `must be at least ${schema.minimum}`;
  if (value > (schema.maximum ?? Number.POSITIVE_INFINITY)) return `must be at most ${schema.maximum}`;
  if (schema.multipleOf !== undefined && value % schema.multipleOf !== 0) {
    return `must be a multiple of ${schema.multipleOf}`;
  }
  return undefined;
}

function listMismatches(schema: StructuralSchema, value: readonly unknown[], path: string): readonly Problem[] {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const problems: Problem[] = [];
  if (value.length < minItems) problems.push({ path, message: `must have at least ${minItems} items` });
  if (value.length > maxItems) problems.push({ path, message: `must have at most ${maxItems} items` });
  const isSet = schema['x-kubernetes-list-type'] === 'set';
  if (isSet && new Set(value).size < value.length) problems.push({ path, message: 'must not repeat an item' });
  if (items) problems.push(...value.flatMap((item, index) => mismatches(items, item, `${path}[${index}]`)));
  return problems;
}

function objectMismatches(
  schema: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
): readonly Problem[] {
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY, additionalProperties } = schema;
  const count = Object.keys(value).length;
  const problems: Problem[] = [];
  if (count < minProperties) problems.push({ path, message: `must have at least ${minProperties} entries` });
  if (count > maxProperties) problems.push({ path, message: `must have at most ${maxProperties} entries` });
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) problems.push({ path: below(name), message: 'is required' });
  }
  for (const [name, entry] of Object.entries(value)) {
    const field = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : additionalProperties;
    if (field) problems.push(...mismatches(field, entry, below(name)));
    else if (!schema['x-kubernetes-preserve-unknown-fields']) {
      problems.push({ path: below(name), message: 'is not a field of the schema' });
    }
  }
  return problems;
}
