// SPDX-License-Identifier: Apache-2.0
import { type GroupVersionKind, referenceOf, type Schema } from './open-api.ts';
import { isObjectType, type TypeName, typeNameOf, wellKnownType } from './type-names.ts';

/** The text of an interface and the types it uses. */
export interface WrittenType {
  readonly text: string;
  readonly mentions: readonly TypeName[];
}

/** Writes the interface of one schema. `nullable` names required lists that real servers return as null when empty. */
export function writeInterface(schemaName: string, schema: Schema, nullable: ReadonlySet<string>): WrittenType {
  const { name } = typeNameOf(schemaName);
  const mentions: TypeName[] = [];
  const kinds = schema['x-kubernetes-group-version-kind'] ?? [];
  const [kind] = kinds.length === 1 && 'metadata' in (schema.properties ?? {}) ? kinds : [];
  const required = new Set(schema.required ?? []);
  const lines = Object.entries(schema.properties ?? {}).flatMap(([field, value]) => {
    if (kind && (field === 'apiVersion' || field === 'kind')) return [identityField(field, kind)];
    if (kind && field === 'metadata') return [];
    const optional = !required.has(field);
    const orNull = nullable.has(`${name}.${field}`) || (optional && isTime(value)) ? ' | null' : '';
    return [`  readonly ${propertyName(field)}${optional ? '?' : ''}: ${typeOf(value, mentions)}${orNull};`];
  });
  const head = kind ? `export interface ${name} extends KubeObject {` : `export interface ${name} {`;
  if (kind) mentions.push({ file: 'object', name: 'KubeObject' });
  const text =
    lines.length > 0 ? `${head}\n${lines.join('\n')}\n}` : `export type ${name} = Readonly<Record<string, never>>;`;
  return { text, mentions };
}

function identityField(field: 'apiVersion' | 'kind', kind: GroupVersionKind): string {
  const apiVersion = kind.group ? `${kind.group}/${kind.version}` : kind.version;
  return `  readonly ${field}?: ${quote(field === 'kind' ? kind.kind : apiVersion)};`;
}

/**
 * Types that contain a time by value return null for an unset one, and the schema does not say which types those are.
 */
function isTime(schema: Schema): boolean {
  const reference = referenceOf(schema);
  return reference !== undefined && ['Time', 'MicroTime'].includes(typeNameOf(reference).name);
}

/** The maximum number of values for a union type (there are many names of signals). */
const longestUnion = 24;

/** The type of a value; the types it uses are added to `mentions`. */
function typeOf(schema: Schema, mentions: TypeName[]): string {
  const reference = referenceOf(schema);
  if (reference !== undefined) return referenceType(reference, mentions);
  switch (schema.type) {
    case 'object':
      return `Readonly<Record<string, ${valueType(schema, mentions)}>>`;
    case 'array':
      return `readonly ${inBrackets(schema.items ? typeOf(schema.items, mentions) : 'unknown')}[]`;
    case 'string':
      return schema.enum && schema.enum.length <= longestUnion ? schema.enum.map(quote).join(' | ') : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return 'unknown';
  }
}

function valueType({ additionalProperties }: Schema, mentions: TypeName[]): string {
  return typeof additionalProperties === 'object' ? typeOf(additionalProperties, mentions) : 'unknown';
}

function referenceType(schemaName: string, mentions: TypeName[]): string {
  const wellKnown = wellKnownType(schemaName);
  if (wellKnown === undefined) {
    const type = typeNameOf(schemaName);
    mentions.push(type);
    return type.name;
  }
  if (isObjectType(wellKnown)) mentions.push({ file: 'object', name: wellKnown });
  return wellKnown;
}

function inBrackets(type: string): string {
  return type.includes(' ') ? `(${type})` : type;
}

function propertyName(field: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(field) ? field : quote(field);
}

/** A string literal. */
export function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
