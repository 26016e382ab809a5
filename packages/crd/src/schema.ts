// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';

declare const valueType: unique symbol;

/** Whether a field may be left out. A field with a default may: the server fills it in. */
export type Presence = 'required' | 'optional';

/**
 * One node of a declaration: the structural schema and, for the compiler, the TypeScript type of its values. Immutable; one node
 * may be used in several places.
 */
export interface Schema<T = unknown, P extends Presence = Presence> {
  readonly structural: StructuralSchema;
  readonly presence: P;
  /** Never present at run time. */
  readonly [valueType]?: T;
}

/** The TypeScript type of a node's values. */
export type ValueOf<S extends Schema> = S extends Schema<infer T, Presence> ? T : never;

/** What every node can say about itself. */
export interface NodeOptions {
  /** Shown by `kubectl explain` and on the reference page. */
  readonly description?: string;
  /** Says what to use instead. Kubernetes has no mark for this, so it becomes part of the description. */
  readonly deprecated?: string;
  /** Rules on this node's value, made with `cel`. */
  readonly rules?: readonly ValidationRule[];
}

/** Adds a default: the value the server fills in where the field is absent. The field is optional then. */
export interface WithDefault<T> {
  readonly default: T;
}

/** Marks a field that may be left out. */
export function optional<T>(schema: Schema<T>): Schema<T, 'optional'> {
  return { structural: schema.structural, presence: 'optional' };
}

/** Allows `null` beside the schema's own values. Without this, the server drops a null (or puts the default in its place). */
export function nullable<T, P extends Presence>(schema: Schema<T, P>): Schema<T | null, P> {
  return { structural: { ...schema.structural, nullable: true }, presence: schema.presence };
}

/** Makes a node from the schema's own keywords and the options that every node has. */
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
