// SPDX-License-Identifier: Apache-2.0
import { defined } from './scalars.ts';
import { makeSchema, type NodeOptions, type Presence, type Schema, type ValueOf, type WithDefault } from './schema.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface ObjectOptions extends NodeOptions {
  /** Keeps undeclared fields instead of dropping them: for old fields in stored objects. @default false */
  readonly preserveUnknownFields?: boolean;
  /** `atomic`: server-side apply replaces the whole object. @default 'granular' */
  readonly mapType?: 'atomic' | 'granular';
}

export interface ListOptions extends NodeOptions {
  readonly minItems?: number;
  /** CEL rules on items of an unbounded list soon exceed the server's cost limit. */
  readonly maxItems?: number;
}

export interface MapOptions extends NodeOptions {
  readonly minProperties?: number;
  readonly maxProperties?: number;
  /** `atomic`: server-side apply replaces the whole map. @default 'granular' */
  readonly mapType?: 'atomic' | 'granular';
}

/** The fields of an object by name. */
export type Fields = Readonly<Record<string, Schema>>;

type OptionalNames<F extends Fields> = {
  [K in keyof F]: F[K] extends Schema<unknown, 'optional'> ? K : never;
}[keyof F];

/** The TypeScript type of an object with these fields. */
export type ObjectOf<F extends Fields> = Flatten<
  { readonly [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]> } & {
    readonly [K in OptionalNames<F>]?: ValueOf<F[K]>;
  }
>;

type Flatten<T> = { readonly [K in keyof T]: T[K] };

/** An object with named fields. Fields are required unless they are `optional` or have a default. */
export function object<F extends Fields>(
  fields: F,
  options: ObjectOptions & WithDefault<NoInfer<ObjectOf<F>>>,
): Schema<ObjectOf<F>, 'optional'>;
export function object<F extends Fields>(fields: F, options?: ObjectOptions): Schema<ObjectOf<F>, 'required'>;
export function object<F extends Fields>(fields: F, options: ObjectOptions = {}): Schema<ObjectOf<F>> {
  const required = Object.keys(fields).filter((name) => fields[name]?.presence === 'required');
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.structural]));
  const keywords: StructuralSchema = {
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(options.preserveUnknownFields && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(options.mapType && { 'x-kubernetes-map-type': options.mapType }),
  };
  return makeSchema(keywords, options);
}

/** An object with any keys whose values have one type. */
export function map<T>(
  values: Schema<T>,
  options: MapOptions & WithDefault<Readonly<Record<string, NoInfer<T>>>>,
): Schema<Readonly<Record<string, T>>, 'optional'>;
export function map<T>(values: Schema<T>, options?: MapOptions): Schema<Readonly<Record<string, T>>, 'required'>;
export function map<T>(values: Schema<T>, options: MapOptions = {}): Schema<Readonly<Record<string, T>>> {
  const { minProperties, maxProperties, mapType } = options;
  const keywords: StructuralSchema = {
    type: 'object',
    additionalProperties: values.structural,
    ...defined({ minProperties, maxProperties, 'x-kubernetes-map-type': mapType }),
  };
  return makeSchema(keywords, options);
}

/** A list with one owner: server-side apply replaces it as a whole. */
export function list<T>(
  items: Schema<T>,
  options: ListOptions & WithDefault<readonly NoInfer<T>[]>,
): Schema<readonly T[], 'optional'>;
export function list<T>(items: Schema<T>, options?: ListOptions): Schema<readonly T[], 'required'>;
export function list<T>(items: Schema<T>, options: ListOptions = {}): Schema<readonly T[]> {
  return listOf(items, { 'x-kubernetes-list-type': 'atomic' }, options);
}

/** A list of distinct scalars. In server-side apply, each of them may have its own owner. */
export function set<T extends string | number | boolean>(
  items: Schema<T>,
  options: ListOptions & WithDefault<readonly NoInfer<T>[]>,
): Schema<readonly T[], 'optional'>;
export function set<T extends string | number | boolean>(
  items: Schema<T>,
  options?: ListOptions,
): Schema<readonly T[], 'required'>;
export function set<T extends string | number | boolean>(
  items: Schema<T>,
  options: ListOptions = {},
): Schema<readonly T[]> {
  return listOf(items, { 'x-kubernetes-list-type': 'set' }, options);
}

/** The names of an object's scalar fields: the possible keys of a keyed list. */
export type KeyNames<T> = {
  [K in keyof T & string]-?: Exclude<T[K], undefined> extends string | number | boolean ? K : never;
}[keyof T & string];

/**
 * A list of objects that are identified by one or more of their fields. In server-side apply, each item and each field
 * of an item may have its own owner. The key fields must be required or have a default.
 */
export function keyedList<T>(
  items: Schema<T>,
  keys: readonly [KeyNames<NoInfer<T>>, ...KeyNames<NoInfer<T>>[]],
  options: ListOptions & WithDefault<readonly NoInfer<T>[]>,
): Schema<readonly T[], 'optional'>;
export function keyedList<T>(
  items: Schema<T>,
  keys: readonly [KeyNames<NoInfer<T>>, ...KeyNames<NoInfer<T>>[]],
  options?: ListOptions,
): Schema<readonly T[], 'required'>;
export function keyedList<T>(
  items: Schema<T>,
  keys: readonly string[],
  options: ListOptions = {},
): Schema<readonly T[]> {
  return listOf(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }, options);
}

function listOf<T, P extends Presence>(
  items: Schema<T>,
  kind: StructuralSchema,
  options: ListOptions,
): Schema<readonly T[], P> {
  const { minItems, maxItems } = options;
  return makeSchema({ type: 'array', ...defined({ minItems, maxItems }), items: items.structural, ...kind }, options);
}
