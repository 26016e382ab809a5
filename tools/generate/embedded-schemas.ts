// SPDX-License-Identifier: Apache-2.0
import type { Capture } from './capture.ts';
import { embeddableTypes } from './embeddable-types.ts';
import { reachableFrom, referenceOf, type Schema, schemaNamed, schemasOf } from './open-api.ts';
import { generatedHeader, type OutputFile } from './output.ts';
import { type Definition, structuralOf, wellKnownDefinition } from './structural.ts';
import { typeNameOf } from './type-names.ts';

/**
 * The built-in types that custom resources may embed, as structural schemas: one definition per type, referenced by
 * `$type`, and their TypeScript types.
 */
export function embeddedSchemas(capture: Capture, path: string): OutputFile {
  const schemas = schemasOf(capture.documents.values());
  const roots = Object.entries(embeddableTypes).flatMap(([version, names]) =>
    names.map((name) => schemaNameOf(schemas, version, name)),
  );
  const reached = [...reachableFrom(roots, schemas)].filter((name) => wellKnownDefinition(name) === undefined);
  const keyFields = listKeyFields(reached, schemas);
  const lines = reached.sort().map((name) => {
    const schema = schemaNamed(schemas, name);
    return `  ${JSON.stringify(keyOf(name))}: ${JSON.stringify(definitionOf(name, schema, schemas, keyFields))},`;
  });
  const text = [
    generatedHeader,
    `import type { ${Object.values(embeddableTypes).flat().sort().join(', ')} } from '@operator-parts/kube';`,
    declarations,
    `export const definitions: Readonly<Record<string, Definition>> = {\n${lines.join('\n')}\n};`,
  ];
  return { path, text: `${text.join('\n\n')}\n` };
}

const typeTable = Object.entries(embeddableTypes).map(
  ([version, names]) => `  readonly '${version}': {\n${names.map((n) => `    readonly ${n}: ${n};`).join('\n')}\n  };`,
);

const declarations = `/** The types that can be embedded, by API version and name. */
export interface EmbeddableTypes {
${typeTable.join('\n')}
}

/** A structural schema in which \`$type\` stands for the definition of that name. */
export interface Definition {
  readonly $type?: string;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly additionalProperties?: Definition;
  readonly items?: Definition;
  readonly [keyword: string]: unknown;
}`;

/** `core/v1.Affinity` */
function keyOf(schemaName: string): string {
  const { file, name } = typeNameOf(schemaName);
  return `${file.replace(/-(?=[^-]*$)/, '/')}.${name}`;
}

function schemaNameOf(schemas: ReadonlyMap<string, Schema>, version: string, name: string): string {
  for (const candidate of schemas.keys()) if (keyOf(candidate) === `${version}.${name}`) return candidate;
  throw new Error(`the server has no type ${name} in ${version}`);
}

function definitionOf(
  name: string,
  schema: Schema,
  schemas: ReadonlyMap<string, Schema>,
  keyFields: ReadonlySet<string>,
): Definition {
  return structuralOf(schema, {
    keyOf,
    resolve: (reference) => schemaNamed(schemas, reference),
    keepsDefault: (field) => keyFields.has(`${name}#${field}`),
  });
}

/** Key fields of some list: the server requires that these are required or have a default. */
function listKeyFields(names: readonly string[], schemas: ReadonlyMap<string, Schema>): ReadonlySet<string> {
  const found = names.flatMap((name) =>
    Object.values(schemaNamed(schemas, name).properties ?? {}).flatMap((field) => {
      const item = field.items && referenceOf(field.items);
      return item ? (field['x-kubernetes-list-map-keys'] ?? []).map((key) => `${item}#${key}`) : [];
    }),
  );
  return new Set(found);
}
