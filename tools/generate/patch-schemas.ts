// SPDX-License-Identifier: Apache-2.0

import type { Capture } from './capture.ts';
import { referenceOf, type Schema, schemaNamed, schemasOf } from './open-api.ts';
import { generatedHeader, type OutputFile } from './output.ts';
import { typeNameOf } from './type-names.ts';

/**
 * The strategic merge patch data of the built-in kinds, in one file. Contains only differences from the default, which
 * merges objects field by field and replaces lists.
 */
export function patchSchemas(capture: Capture, path: string): OutputFile {
  const schemas = schemasOf(capture.documents.values());
  const rows = new Map([...schemas].map(([name, schema]) => [name, fieldRows(schema)]));
  const kept = meaningful(rows);
  const types = [...kept].sort().map((name) => [shortName(name), pruned(rows.get(name) ?? {}, kept)] as const);
  const kinds = [...kept].sort().flatMap((name) => kindRows(name, schemaNamed(schemas, name)));
  const text = [
    generatedHeader,
    declarations,
    `export const patchKinds: Readonly<Record<string, string>> = ${print(kinds)};`,
    `export const patchTypes: Readonly<Record<string, PatchType>> = ${print(types)};`,
  ];
  return { path, text: `${text.join('\n\n')}\n` };
}

interface FieldRow {
  readonly type?: string;
  readonly strategy?: string;
  readonly mergeKey?: string;
}

type Rows = Readonly<Record<string, FieldRow>>;

const declarations = `/** How one field is merged. Absent fields are merged by default: objects field by field, lists replaced. */
export interface PatchField {
  /** The type, in \`patchTypes\`, of the object or of the items of the list. */
  readonly type?: string;
  /** One or more of merge, replace and retainKeys, separated by commas. */
  readonly strategy?: string;
  /** Identifies an item of a merged list of objects; a merged list without one is a set of values. */
  readonly mergeKey?: string;
}

export type PatchType = Readonly<Record<string, PatchField>>;`;

function fieldRows(schema: Schema): Rows {
  const rows: Record<string, FieldRow> = {};
  for (const [field, value] of Object.entries(schema.properties ?? {})) {
    const strategy = value['x-kubernetes-patch-strategy'];
    const isList = value.type === 'array';
    // Items of a list that is replaced as a whole are never merged.
    const type = isList && !strategy?.includes('merge') ? undefined : referenceOf(value.items ?? value);
    const mergeKey = value['x-kubernetes-patch-merge-key'];
    if (type === undefined && strategy === undefined) continue;
    rows[field] = { ...(type && { type }), ...(strategy && { strategy }), ...(mergeKey && { mergeKey }) };
  }
  return rows;
}

/** The types with such data, and those that contain them. */
function meaningful(types: ReadonlyMap<string, Rows>): ReadonlySet<string> {
  const found = new Set<string>();
  const says = (row: FieldRow) => row.strategy !== undefined || (row.type !== undefined && found.has(row.type));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [name, rows] of types) if (Object.values(rows).some(says)) found.add(name);
  }
  return found;
}

/** Removes fields without such data, and shortens the names of types. */
function pruned(rows: Rows, kept: ReadonlySet<string>): Rows {
  const entries = Object.entries(rows).flatMap(([field, { type, ...row }]) => {
    if (type !== undefined && kept.has(type)) return [[field, { type: shortName(type), ...row }] as const];
    return row.strategy === undefined ? [] : [[field, row] as const];
  });
  return Object.fromEntries(entries);
}

function kindRows(name: string, schema: Schema): [string, string][] {
  const kinds = schema['x-kubernetes-group-version-kind'] ?? [];
  if (kinds.length !== 1) return [];
  return kinds.map(({ group, version, kind }) => [
    group ? `${group}/${version}/${kind}` : `${version}/${kind}`,
    shortName(name),
  ]);
}

function shortName(schemaName: string): string {
  const { file, name } = typeNameOf(schemaName);
  return `${file}.${name}`;
}

function print(rows: readonly (readonly [string, unknown])[]): string {
  const lines = rows.map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return `{\n${lines.join('\n')}\n}`;
}
