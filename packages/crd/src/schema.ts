// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';

declare const valueType: unique symbol;

/** Whether a field is optional. A field with a default is optional, because the API server sets it. */
export type Presence = 'required' | 'optional';

/**
 * One node of a declaration: the structural schema and the TypeScript type of its values. Immutable; a node may be used
 * in several places.
 */
export interface Schema<T = unknown, P extends Presence = Presence> {
  readonly structural: StructuralSchema;
  readonly presence: P;
  /** Never present at run time. */
  readonly [valueType]?: T;
}

/** The TypeScript type of a node's values. */
export type ValueOf<S extends Schema> = S extends Schema<infer T, Presence> ? T : never;

/** The common options of all nodes. */
export interface NodeOptions {
  /** Shown by `kubectl explain` and on the reference page. */
  readonly description?: string;
  /** Says what to use instead. Kubernetes cannot mark deprecated fields, so this becomes part of the description. */
  readonly deprecated?: string;
  /** Rules on this node's value, made with `cel`. */
  readonly rules?: readonly ValidationRule[];
}

/** Adds a default: the server sets it if the field is absent. The field becomes optional. */
export interface WithDefault<T> {
  readonly default: T;
}

/** Makes a field optional. */
export function optional<T>(schema: Schema<T>): Schema<T, 'optional'> {
  return { structural: schema.structural, presence: 'optional' };
}

/** Allows `null` in addition. Otherwise the server drops a null (or replaces it by the default). */
export function nullable<T, P extends Presence>(schema: Schema<T, P>): Schema<T | null, P> {
  return { structural: { ...schema.structural, nullable: true }, presence: schema.presence };
}

/** Creates a node from the schema's keywords and the common options. */
export function makeSchema<T, P extends Presence>(
  keywords: StructuralSchema,
  options: NodeOptions & Partial<WithDefault<unknown>>,
): Schema<T, P> {
  const description = [options.description, options.deprecated && `Deprecated: ${options.deprecated}`]
    .filter((part) => part)
    .join(' ');
  const structural: StructuralSchema = {
    ...(description && { description }),
    ...keywords,
    ...('default' in options && { default: options.default }),
    ...(options.rules?.length && { 'x-kubernetes-validations': options.rules }),
  };
  const presence: Presence = 'default' in options ? 'optional' : 'required';
  return { structural, presence: presence as P };
}
