// SPDX-License-Identifier: Apache-2.0
import type { GroupVersion } from './api-groups.ts';
import { type Capture, type DiscoveredResource, resourcesOf } from './capture.ts';
import { type GroupVersionKind, reachableFrom, type Schema, schemaNamed, schemasOf } from './open-api.ts';
import { generatedHeader, type OutputFile } from './output.ts';
import { type TypeName, typeNameOf, wellKnownType } from './type-names.ts';
import { quote, writeInterface } from './typescript.ts';

/**
 * Lists that a real server returns as null if an object was written without them (nulls.conformance.test.ts searches
 * for more).
 */
const nullableLists: ReadonlySet<string> = new Set([
  'ClusterRole.rules',
  'CSINodeSpec.drivers',
  'CustomResourceDefinitionStatus.conditions',
  'EndpointSlice.endpoints',
  'EndpointSlice.ports',
  'LimitRangeSpec.limits',
  'Role.rules',
]);

/** One file with TypeScript types and resource descriptors for each API group, in `folder`. */
export function kubeTypes(capture: Capture, groups: readonly GroupVersion[], folder: string): OutputFile[] {
  const schemas = schemasOf(capture.documents.values());
  const byKind = kindIndex(schemas);
  const files = new Map<string, FileContent>();
  const fileOf = (name: string): FileContent => {
    const found: FileContent = files.get(name) ?? { types: new Map(), descriptors: [], mentions: [] };
    files.set(name, found);
    return found;
  };
  const roots = groups.flatMap((group) => rootsOf(capture, group, byKind));
  for (const name of reachableFrom(roots, schemas)) {
    if (wellKnownType(name) !== undefined) continue;
    const { file, name: typeName } = typeNameOf(name);
    const { text, mentions } = writeInterface(name, schemaNamed(schemas, name), nullableLists);
    fileOf(file).types.set(typeName, text);
    fileOf(file).mentions.push(...mentions);
  }
  for (const group of groups) {
    for (const resource of resourcesOf(capture, group)) {
      const schemaName = byKind.get(kindKey(kindOf(resource.responseKind, group)));
      if (schemaName === undefined)
        throw new Error(`no schema for the resource ${resource.resource} of ${group.group}`);
      fileOf(typeNameOf(schemaName).file).descriptors.push(descriptor(resource, group));
    }
  }
  return [...files].map(([name, content]) => ({ path: `${folder}/${name}.ts`, text: fileText(name, content) }));
}

interface FileContent {
  readonly types: Map<string, string>;
  readonly descriptors: string[];
  readonly mentions: TypeName[];
}

/** The schemas of the kinds of a group, and of the types of its subresources. */
function rootsOf(capture: Capture, group: GroupVersion, byKind: ReadonlyMap<string, string>): string[] {
  return resourcesOf(capture, group).flatMap((resource) => {
    const kinds = [resource.responseKind, ...(resource.subresources ?? []).map((sub) => sub.responseKind)];
    return kinds.flatMap((kind) => (kind ? (byKind.get(kindKey(kindOf(kind, group))) ?? []) : []));
  });
}

/** Discovery omits group and version if they are those of the list. */
function kindOf(kind: GroupVersionKind, at: GroupVersion): GroupVersionKind {
  return kind.version ? kind : { ...at, kind: kind.kind };
}

function kindKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

function kindIndex(schemas: ReadonlyMap<string, Schema>): ReadonlyMap<string, string> {
  const index = new Map<string, string>();
  for (const [name, schema] of schemas) {
    const kinds = schema['x-kubernetes-group-version-kind'] ?? [];
    if (kinds.length === 1) for (const kind of kinds) index.set(kindKey(kind), name);
  }
  return index;
}

function descriptor(resource: DiscoveredResource, { group, version }: GroupVersion): string {
  const { kind } = resource.responseKind;
  const fields = [
    `group: ${quote(group)}`,
    `version: ${quote(version)}`,
    `kind: ${quote(kind)}`,
    `plural: ${quote(resource.resource)}`,
    `namespaced: ${resource.scope === 'Namespaced'}`,
  ];
  const name = descriptorName(kind, resource.resource);
  return `export const ${name}: Resource<${kind}> = { ${fields.join(', ')} };`;
}

/** `configMaps` for the kind ConfigMap with the plural configmaps; `csiDrivers` for CSIDriver. */
function descriptorName(kind: string, plural: string): string {
  const camel = kind.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (start) => start.toLowerCase());
  let same = 0;
  while (same < camel.length && camel[same]?.toLowerCase() === plural[same]) same += 1;
  return camel.slice(0, same) + plural.slice(same);
}

function fileText(file: string, { types, descriptors, mentions }: FileContent): string {
  const imports = importLines(file, mentions, descriptors.length > 0);
  const sorted = [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `${[generatedHeader, imports, ...sorted, descriptors.join('\n')].filter((part) => part !== '').join('\n\n')}\n`;
}

function importLines(file: string, mentions: readonly TypeName[], hasDescriptors: boolean): string {
  const byFile = new Map<string, Set<string>>();
  for (const mention of mentions) {
    if (mention.file === file) continue;
    byFile.set(mention.file, (byFile.get(mention.file) ?? new Set()).add(mention.name));
  }
  if (hasDescriptors) byFile.set('resource', new Set(['Resource']));
  const line = ([from, names]: [string, Set<string>]) => {
    const path = from === 'object' || from === 'resource' ? `../${from}.ts` : `./${from}.ts`;
    return `import type { ${[...names].sort().join(', ')} } from '${path}';`;
  };
  return [...byFile].map(line).sort().join('\n');
}
