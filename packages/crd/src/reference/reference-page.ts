// SPDX-License-Identifier: Apache-2.0
import type { Kind } from '../kind.ts';
import { builtInType, type StructuralSchema, type ValidationRule } from '../structural-schema.ts';
import { code, typeWords } from './type-words.ts';

/**
 * The Markdown reference page of a kind: its names, every field with type, default and description, the rules, and the
 * columns of `kubectl get`. Built-in types are named, not expanded. The same kind always gives the same text.
 */
export function referencePage(kind: Kind): string {
  const { schema } = kind;
  const parts = [
    `# ${kind.kind}`,
    schema.description ?? '',
    table(['', ''], factRows(kind)),
    ruleList(schema['x-kubernetes-validations'] ?? []),
    ...['spec', 'status'].map((name) => section(name, schema.properties?.[name])),
    columnSection(kind),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function factRows(kind: Kind): readonly Row[] {
  const names = [kind.plural, kind.singular ?? kind.kind.toLowerCase(), ...(kind.shortNames ?? [])];
  const subresources = [...(kind.hasStatus ? ['status'] : []), ...(kind.scale ? ['scale'] : [])];
  const list = (values: readonly string[] | undefined) => (values ?? []).map(code).join(', ');
  const rows: readonly Row[] = [
    ['API version', code(`${kind.group}/${kind.version}`)],
    ['Names', list(names)],
    ['Categories', list(kind.categories)],
    ['Scope', kind.scope],
    ['Subresources', list(subresources)],
    ['Selectable fields', list(kind.selectableFields)],
    ['Deprecated', kind.deprecated ?? ''],
  ];
  return rows.filter(([, value]) => value !== '');
}

function section(name: string, schema: StructuralSchema | undefined): string {
  if (!schema) return '';
  const rows = fieldRows(schema, '');
  const fields = rows.length > 0 ? table(['Field', 'Type', 'Default', 'Description'], rows) : '';
  const parts = [`## ${name}`, schema.description ?? '', fields, ruleList(schema['x-kubernetes-validations'] ?? [])];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** One row per field; the fields of an object follow it. */
function fieldRows(schema: StructuralSchema, prefix: string): readonly Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const isRequired = schema.required?.includes(name) ?? false;
    const row: Row = [code(path), typeWords(field), defaultText(field, isRequired), descriptionText(field)];
    return [row, ...rowsBelow(field, path)];
  });
}

function rowsBelow(field: StructuralSchema, path: string): readonly Row[] {
  if (field[builtInType] !== undefined) return [];
  if (field.properties) return fieldRows(field, `${path}.`);
  if (field.items) return rowsBelow(field.items, `${path}[]`);
  return field.additionalProperties ? rowsBelow(field.additionalProperties, `${path}[*]`) : [];
}

function defaultText(field: StructuralSchema, isRequired: boolean): string {
  if (isRequired) return 'required';
  return 'default' in field ? code(JSON.stringify(field.default)) : '';
}

function descriptionText(field: StructuralSchema): string {
  const unknown = field['x-kubernetes-preserve-unknown-fields'] && field.type ? ['Other fields are kept.'] : [];
  const rules = (field['x-kubernetes-validations'] ?? []).map(({ message }) => `Rule: ${message}.`);
  return [field.description ?? '', ...unknown, ...rules].filter((part) => part !== '').join(' ');
}

function ruleList(rules: readonly ValidationRule[]): string {
  if (rules.length === 0) return '';
  return `Rules:\n\n${rules.map(({ message, rule }) => `- ${message}: ${code(oneLine(rule))}`).join('\n')}`;
}

function columnSection({ columns }: Kind): string {
  if (!columns?.length) return '';
  const rows = columns.map((column): Row => {
    const wide = column.priority ? 'with `-o wide`' : '';
    return [column.name, code(column.path), [column.description ?? '', wide].filter((part) => part !== '').join(' ')];
  });
  return `## Columns of kubectl get\n\n${table(['Column', 'Field', ''], rows)}`;
}

type Row = readonly string[];

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function oneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
}
