// SPDX-License-Identifier: Apache-2.0
import {
  type EmbeddableTypes,
  embedded,
  type NodeOptions,
  type Presence,
  type Schema,
  type StructuralSchema,
  string,
} from '@operator-parts/crd';

/**
 * Limits for lists and texts of a spec that have no other limit: far above what Kubernetes accepts, and low enough that one object cannot
 * overload the API server or the operator.
 */
export const most = {
  /** The name of an object. */
  name: 253,
  /** An image, a label key or a path. */
  text: 4_096,
  /** The value of an environment variable or annotation. */
  value: 262_144,
  items: 1_024,
  entries: 1_024,
  /** A duration, quantity or time. */
  amount: 64,
} as const;

/**
 * A text in a status. The limit is high on purpose: if the API server rejected a status, nothing of it would be written, and the status
 * also records identities. Writers truncate texts far below this limit.
 */
export const statusText = (description?: string) =>
  string({ ...(description !== undefined && { description }), maxLength: 262_144 });

export const statusItems = { maxItems: 4_096 } as const;

/** A built-in type in which every string, list and map gets a bound if it has none. `longest` sets other bounds for fields by name. */
export function builtIn<N extends keyof EmbeddableTypes['core/v1']>(
  name: N,
  options: NodeOptions & { readonly longest?: Readonly<Record<string, number>> } = {},
): Schema<EmbeddableTypes['core/v1'][N], 'required'> {
  const { longest = {}, ...rest } = options;
  return bounded(embedded('core/v1', name, rest), longest);
}

/** Adds a bound to every string, list and map of a schema that has none. */
export function bounded<T, P extends Presence>(
  { structural, presence }: Schema<T, P>,
  longest: Readonly<Record<string, number>> = {},
): Schema<T, P> {
  return { structural: withBounds(structural, most.text, longest), presence };
}

function withBounds(
  schema: StructuralSchema,
  length: number,
  longest: Readonly<Record<string, number>>,
): StructuralSchema {
  const below = (child: StructuralSchema, name?: string) =>
    withBounds(child, name !== undefined && Object.hasOwn(longest, name) ? (longest[name] ?? length) : length, longest);
  const { properties, additionalProperties, items } = schema;
  return {
    ...bounds(schema, length),
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, below(field, name)])),
    }),
    ...(additionalProperties && { additionalProperties: below(additionalProperties) }),
    ...(items && { items: below(items) }),
  };
}

function bounds(schema: StructuralSchema, maxLength: number): StructuralSchema {
  if (schema['x-kubernetes-int-or-string']) return { maxLength: most.amount };
  if (schema.type === 'string' && !schema.enum) return { maxLength: schema.format ? most.amount : maxLength };
  if (schema.type === 'array') return { maxItems: most.items };
  return schema.additionalProperties ? { maxProperties: most.entries } : {};
}
