// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@operator-parts/crd';

/** One step from a value to a value inside it: a named field, any entry of a map, or the item of a list. */
export type Way = { readonly field: string } | 'entry' | 'item';

/** A field of a spec that holds a single value. */
export interface Leaf {
  /** For example `spec.pod.labels.*` or `spec.pod.tolerations[].key`. */
  readonly path: string;
  /** The steps from the spec to the leaf. */
  readonly ways: readonly Way[];
  readonly schema: StructuralSchema;
}

/** Every leaf of a spec, in the order of the schema. */
export function leavesOf(schema: StructuralSchema, path = 'spec', ways: readonly Way[] = []): readonly Leaf[] {
  const { properties, additionalProperties, items } = schema;
  if (properties)
    return Object.entries(properties).flatMap(([field, child]) =>
      leavesOf(child, `${path}.${field}`, [...ways, { field }]),
    );
  if (additionalProperties) return leavesOf(additionalProperties, `${path}.*`, [...ways, 'entry']);
  if (items) return leavesOf(items, `${path}[]`, [...ways, 'item']);
  return [{ path, ways, schema }];
}

/** The schema of the spec of a kind. */
export function specSchema({ schema }: { readonly schema: StructuralSchema }): StructuralSchema {
  return schema.properties?.['spec'] ?? {};
}
