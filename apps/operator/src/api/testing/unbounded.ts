// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@operator-parts/crd';

/** Paths of everything in a schema that has no limit: strings, lists, maps, and objects that keep unknown fields. */
export interface Unbounded {
  readonly values: readonly string[];
  /** Paths of objects that keep unknown fields. */
  readonly open: readonly string[];
}

export function unboundedIn(schema: StructuralSchema, path = ''): Unbounded {
  const children = childrenOf(schema, path).map(([child, at]) => unboundedIn(child, at));
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] && !schema.enum;
  return {
    values: [...(isUnbounded(schema) ? [path] : []), ...children.flatMap(({ values }) => values)],
    open: [...(isOpen ? [path] : []), ...children.flatMap(({ open }) => open)],
  };
}

function isUnbounded(schema: StructuralSchema): boolean {
  if (schema.enum) return false;
  if (schema.type === 'string' || schema['x-kubernetes-int-or-string']) return schema.maxLength === undefined;
  if (schema.type === 'array') return schema.maxItems === undefined;
  return schema.additionalProperties !== undefined && schema.maxProperties === undefined;
}

function childrenOf(schema: StructuralSchema, path: string): readonly (readonly [StructuralSchema, string])[] {
  return [
    ...Object.entries(schema.properties ?? {}).map(
      ([name, child]) => [child, path === '' ? name : `${path}.${name}`] as const,
    ),
    ...(schema.additionalProperties ? [[schema.additionalProperties, `${path}[*]`] as const] : []),
    ...(schema.items ? [[schema.items, `${path}[]`] as const] : []),
  ];
}
