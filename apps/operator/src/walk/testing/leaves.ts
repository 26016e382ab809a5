// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@etcd-operator/crd';

/** From a value to one inside it: a named field, any entry of a map, or the item of a list. */
export type Way = { readonly field: string } | 'entry' | 'item';

/** A place in a spec that holds a single value. */
export interface Leaf {
  /** `spec.pod.labels.*`, `spec.pod.tolerations[].key` */
  readonly path: string;
  /** From the spec on. */
  readonly ways: readonly Way[];
  readonly schema: StructuralSchema;
}

/** Every leaf of a spec, in the order of its schema. */
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

/** The spec of a kind. */
export function specSchema({ schema }: { readonly schema: StructuralSchema }): StructuralSchema {
  return schema.properties?.['spec'] ?? {};
}
