// SPDX-License-Identifier: Apache-2.0
import { builtInType, type StructuralSchema } from '../structural-schema.ts';

/** The type of a field and the constraints on its values, as short Markdown. */
export function typeWords(schema: StructuralSchema): string {
  return [typeName(schema), ...limits(schema), ...orNull(schema)].join(', ');
}

function typeName(schema: StructuralSchema): string {
  const builtIn = schema[builtInType];
  if (builtIn !== undefined) return builtIn;
  if (schema['x-kubernetes-int-or-string']) return schema.pattern === undefined ? 'whole number or string' : 'quantity';
  switch (schema.type) {
    case 'string':
      return stringName(schema);
    case 'integer':
      return 'whole number';
    case 'array':
      return listName(schema);
    case 'object':
      return schema.additionalProperties ? `map of ${plural(schema.additionalProperties)}` : 'object';
    case undefined:
      return schema.enum ? choices(schema.enum) : 'anything';
    default:
      return schema.type;
  }
}

const formats: Readonly<Record<string, string>> = {
  'date-time': 'time (RFC 3339)',
  duration: 'duration',
  byte: 'base64',
};

function stringName({ enum: values, format }: StructuralSchema): string {
  if (values) return choices(values);
  return format === undefined ? 'string' : (formats[format] ?? `string (${format})`);
}

function choices(values: readonly (string | boolean)[]): string {
  return values.map((value) => code(String(value))).join(' or ');
}

function listName(schema: StructuralSchema): string {
  const items = schema.items ? plural(schema.items) : 'anything';
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return `set of ${items}`;
    case 'map':
      return `list of ${items}, each with its own ${(schema['x-kubernetes-list-map-keys'] ?? []).map(code).join(' and ')}`;
    default:
      return `list of ${items}`;
  }
}

/** `strings (at most 63 characters)`; names without a plural are unchanged. */
function plural(schema: StructuralSchema): string {
  const name = typeName(schema).replace(/^(string|whole number|number|boolean|object|duration)$/, '$1s');
  const rest = [...limits(schema), ...orNull(schema)];
  return rest.length > 0 ? `${name} (${rest.join(', ')})` : name;
}

function orNull({ nullable }: StructuralSchema): readonly string[] {
  return nullable ? ['may be null'] : [];
}

function limits(schema: StructuralSchema): readonly string[] {
  const { pattern, multipleOf, format } = schema;
  const isOwnPattern = pattern !== undefined && format !== 'duration' && !schema['x-kubernetes-int-or-string'];
  return [
    ...range(schema.minimum, schema.maximum, ''),
    ...(multipleOf === undefined ? [] : [`a multiple of ${multipleOf}`]),
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...range(schema.minProperties, schema.maxProperties, ' entries'),
    ...(isOwnPattern ? [`matches ${code(pattern)}`] : []),
  ];
}

function range(least: number | undefined, most: number | undefined, unit: string): readonly string[] {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}

/** Text as code. */
export function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return `${fence}${text}${fence}`;
}
