// SPDX-License-Identifier: Apache-2.0
import { type Definition, definitions, type EmbeddableTypes } from './generated/embedded-types.ts';
import { makeSchema, type NodeOptions, type Schema } from './schema.ts';
import { builtInType, type StructuralSchema } from './structural-schema.ts';

/** The API versions whose types can be embedded. */
export type EmbeddableVersion = keyof EmbeddableTypes;

/**
 * A built-in type inside a custom resource: `embedded('core/v1', 'Affinity')`. Fields, types and required fields are
 * those of a real API server. Values (enums, lengths) are checked only when the built-in object is created from them,
 * so that a newer Kubernetes may allow more. Quantities may be numbers; they are kept unchanged.
 */
export function embedded<V extends EmbeddableVersion, N extends keyof EmbeddableTypes[V] & string>(
  version: V,
  name: N,
  options: NodeOptions = {},
): Schema<EmbeddableTypes[V][N], 'required'> {
  const structural = inlined({ $type: `${version}.${name}` });
  return makeSchema({ ...structural, [builtInType]: `${version} ${name}` }, options);
}

/** The definition with all references expanded: structural schemas have none. */
function inlined(definition: Definition): StructuralSchema {
  const { $type, properties, additionalProperties, items, ...keywords } = definition;
  if ($type !== undefined) {
    const target = definitions[$type];
    if (!target) throw new TypeError(`the type ${$type} to embed does not exist`);
    return { ...inlined(target), ...keywords };
  }
  return {
    ...keywords,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, inlined(field)])),
    }),
    ...(additionalProperties && { additionalProperties: inlined(additionalProperties) }),
    ...(items && { items: inlined(items) }),
  };
}
