// SPDX-License-Identifier: Apache-2.0
/**
 * Writes src/schema/go-shapes.json: how Go marshals the built-in kinds, which the OpenAPI documents do not say. Run it
 * after `npm run generate`, with the folder that contains the modules `api@v0.x.y`, `apimachinery@v0.x.y` and so on:
 *
 * node packages/kube-lab/tools/go-shapes.ts "$(go env GOMODCACHE)/k8s.io" 0.36.3
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument, openApiKeys } from '../src/registry/captured-api.ts';

/** A field's Go type, when it is left out of JSON, and its number in protobuf. */
type Field = readonly [goType: string, mode: string, protobuf: number];

const [modules = '', version = ''] = process.argv.slice(2);

const prefixes: Readonly<Record<string, string>> = {
  'io.k8s.api.': 'api',
  'io.k8s.apimachinery.': 'apimachinery',
  'io.k8s.apiextensions-apiserver.': 'apiextensions-apiserver',
};

function folderOf(typeName: string): string | undefined {
  const entry = Object.entries(prefixes).find(([prefix]) => typeName.startsWith(prefix));
  if (!entry) return undefined;
  const [prefix, module] = entry;
  const parts = typeName.slice(prefix.length).split('.').slice(0, -1);
  return join(modules, `${module}@v${version}`, ...parts);
}

const structsByFolder = new Map<string, ReadonlyMap<string, readonly string[]>>();

/** The lines of each struct of a package, by its name. */
function structsOf(folder: string): ReadonlyMap<string, readonly string[]> {
  const known = structsByFolder.get(folder);
  if (known) return known;
  const structs = new Map<string, readonly string[]>();
  const files = readdirSync(folder).filter((name) => name.endsWith('.go') && !/^(zz_|generated|.*_test)/.test(name));
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const match of text.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) {
      structs.set(match[1] ?? '', (match[2] ?? '').split('\n'));
    }
  }
  structsByFolder.set(folder, structs);
  return structs;
}

const fieldLine = /^\s+(?:(\w+)\s+)?([\w.*[\]]+)\s+`(.*)`/;

function fieldsOf(folder: string, name: string): Record<string, Field> {
  const fields: Record<string, Field> = {};
  for (const line of structsOf(folder).get(name) ?? []) Object.assign(fields, fieldsOfLine(folder, line));
  return fields;
}

/** What one line of a struct declares: a field, an embedded struct with its fields, or nothing. */
function fieldsOfLine(folder: string, line: string): Record<string, Field> {
  const [, , goType = '', tags = ''] = fieldLine.exec(line) ?? [];
  const json = /json:"([^"]*)"/.exec(tags)?.[1] ?? '-';
  const protobuf = Number(/protobuf:"\w+,(\d+)/.exec(tags)?.[1] ?? 0);
  const [jsonName = '', ...flags] = json.split(',');
  if (jsonName === '-') return {};
  const qualified = qualify(goType, folder.split('/').at(-1) ?? '');
  if (!flags.includes('inline') && jsonName !== '') return { [jsonName]: [qualified, modeOf(flags), protobuf] };
  if (goType.endsWith('TypeMeta')) return {};
  return { [`+${goType}`]: [qualified, '', protobuf], ...embedded(folder, goType) };
}

function modeOf(flags: readonly string[]): string {
  if (flags.includes('omitzero')) return 'omitzero';
  return flags.includes('omitempty') ? 'omitempty' : 'always';
}

/**
 * The fields of an embedded struct of the same package. In JSON they belong to the outer struct; its protobuf message
 * does not contain them.
 */
function embedded(folder: string, goType: string): Record<string, Field> {
  const inner = fieldsOf(folder, goType.replace('*', ''));
  return Object.fromEntries(Object.entries(inner).map(([key, [type, mode]]) => [key, [type, mode, 0] as const]));
}

const scalars = new Set(['string', 'bool', 'int32', 'int64', 'int', 'uint8', 'byte', 'float64', 'uint32', 'uint64']);

/** Adds the package to a type: `[]Container` in core/v1 becomes `[]v1.Container`, as in the error messages of Go. */
function qualify(goType: string, packageName: string): string {
  return goType.replace(/(^|[\]*])([A-Za-z]\w*)$/, (whole, before: string, name: string) =>
    scalars.has(name) ? whole : `${before}${packageName}.${name}`,
  );
}

const shapes: Record<string, Record<string, Field>> = {};
for (const key of openApiKeys()) {
  for (const typeName of Object.keys(openApiDocument(key)?.components?.schemas ?? {})) {
    const folder = folderOf(typeName);
    if (!folder || shapes[typeName]) continue;
    const name = typeName.split('.').at(-1) ?? '';
    // JSONSchemaProps and related types have the same names in Go. Types without a struct (Quantity, Time) have no
    // fields.
    const fields = fieldsOf(folder, name);
    if (Object.keys(fields).length > 0) shapes[typeName] = fields;
  }
}
// Embedded structs have no schema of their own, but are messages in protobuf.
for (const fields of Object.values({ ...shapes })) {
  for (const [key, [goType]] of Object.entries(fields)) {
    if (!key.startsWith('+')) continue;
    const name = goType.split('.').at(-1) ?? '';
    const owner = Object.keys(shapes).find((typeName) => shapes[typeName] === fields) ?? '';
    const typeName = [...owner.split('.').slice(0, -1), name].join('.');
    const folder = folderOf(typeName);
    if (folder && !shapes[typeName]) shapes[typeName] = fieldsOf(folder, name);
  }
}
const lines = Object.keys(shapes)
  .sort()
  .map((name) => `${JSON.stringify(name)}:${JSON.stringify(shapes[name])}`);
writeFileSync(new URL('../src/schema/go-shapes.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
process.stdout.write(`${lines.length} types\n`);
