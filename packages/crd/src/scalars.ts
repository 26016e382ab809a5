// SPDX-License-Identifier: Apache-2.0
import { makeSchema, type NodeOptions, type Presence, type Schema, type WithDefault } from './schema.ts';

/** Formats of strings that the API server checks. */
export type StringFormat =
  | 'byte'
  | 'cidr'
  | 'date'
  | 'email'
  | 'hostname'
  | 'ipv4'
  | 'ipv6'
  | 'k8s-long-name'
  | 'k8s-short-name'
  | 'mac'
  | 'password'
  | 'uri'
  | 'uuid';

export interface StringOptions extends NodeOptions {
  /** A regular expression in RE2 (no look-around, no back references), not anchored. */
  readonly pattern?: string;
  readonly format?: StringFormat;
  /** In characters. */
  readonly minLength?: number;
  /** In characters. CEL rules on unbounded strings soon exceed the server's cost limit. */
  readonly maxLength?: number;
}

export interface NumberOptions extends NodeOptions {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
}

/** A string. */
export function string(options: StringOptions & WithDefault<string>): Schema<string, 'optional'>;
export function string(options?: StringOptions): Schema<string, 'required'>;
export function string(options: StringOptions = {}): Schema<string> {
  const { pattern, format, minLength, maxLength } = options;
  return makeSchema({ type: 'string', ...defined({ pattern, format, minLength, maxLength }) }, options);
}

/** One of a fixed set of strings. */
export function enumeration<const V extends string>(
  values: readonly V[],
  options: NodeOptions & WithDefault<NoInfer<V>>,
): Schema<V, 'optional'>;
export function enumeration<const V extends string>(values: readonly V[], options?: NodeOptions): Schema<V, 'required'>;
export function enumeration<const V extends string>(values: readonly V[], options: NodeOptions = {}): Schema<V> {
  return makeSchema({ type: 'string', enum: values }, options);
}

/**
 * One of a fixed set of strings and booleans. Structural schemas have no union types: the node has no type, the server
 * checks the value by its list, and rules are not possible.
 */
export function choice<const V extends string | boolean>(
  values: readonly V[],
  options: Omit<NodeOptions, 'rules'> = {},
): Schema<V, 'required'> {
  return makeSchema({ 'x-kubernetes-preserve-unknown-fields': true, enum: values }, options);
}

/** A whole number of 32 bits. */
export function int32(options: NumberOptions & WithDefault<number>): Schema<number, 'optional'>;
export function int32(options?: NumberOptions): Schema<number, 'required'>;
export function int32(options: NumberOptions = {}): Schema<number> {
  return numeric('integer', 'int32', options);
}

/** A whole number of 64 bits. JSON numbers beyond 2^53 lose precision in JavaScript. */
export function int64(options: NumberOptions & WithDefault<number>): Schema<number, 'optional'>;
export function int64(options?: NumberOptions): Schema<number, 'required'>;
export function int64(options: NumberOptions = {}): Schema<number> {
  return numeric('integer', 'int64', options);
}

/** Any number. Kubernetes advises against fractions in APIs; prefer `quantity` or whole numbers of a smaller unit. */
export function number(options: NumberOptions & WithDefault<number>): Schema<number, 'optional'>;
export function number(options?: NumberOptions): Schema<number, 'required'>;
export function number(options: NumberOptions = {}): Schema<number> {
  return numeric('number', undefined, options);
}

/** True or false. */
export function bool(options: NodeOptions & WithDefault<boolean>): Schema<boolean, 'optional'>;
export function bool(options?: NodeOptions): Schema<boolean, 'required'>;
export function bool(options: NodeOptions = {}): Schema<boolean> {
  return makeSchema({ type: 'boolean' }, options);
}

const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** A quantity such as `500m` or `1Gi`. Plain numbers are allowed too, and the server keeps them unchanged. */
export function quantity(options: NodeOptions & WithDefault<number | string>): Schema<number | string, 'optional'>;
export function quantity(options?: NodeOptions): Schema<number | string, 'required'>;
export function quantity(options: NodeOptions = {}): Schema<number | string> {
  return makeSchema({ ...intOrStringKeywords, pattern: quantityPattern }, options);
}

/** A whole number or a string, such as a port by number or name, or `25%`. */
export function intOrString(options: NodeOptions & WithDefault<number | string>): Schema<number | string, 'optional'>;
export function intOrString(options?: NodeOptions): Schema<number | string, 'required'>;
export function intOrString(options: NodeOptions = {}): Schema<number | string> {
  return makeSchema(intOrStringKeywords, options);
}

/** A duration as Go writes it: `90s`, `1h30m`. Never negative. CEL rules see it as a duration. */
export function duration(options: NodeOptions & WithDefault<string>): Schema<string, 'optional'>;
export function duration(options?: NodeOptions): Schema<string, 'required'>;
export function duration(options: NodeOptions = {}): Schema<string> {
  const pattern = '^([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h))+$';
  return makeSchema({ type: 'string', format: 'duration', pattern }, options);
}

/** A time in RFC 3339. */
export function dateTime(options: NodeOptions & WithDefault<string>): Schema<string, 'optional'>;
export function dateTime(options?: NodeOptions): Schema<string, 'required'>;
export function dateTime(options: NodeOptions = {}): Schema<string> {
  return makeSchema({ type: 'string', format: 'date-time' }, options);
}

/** Any JSON value, unchanged. It has no type, so rules are not possible. */
export function anything(options: Omit<NodeOptions, 'rules'> = {}): Schema<unknown, 'required'> {
  return makeSchema({ 'x-kubernetes-preserve-unknown-fields': true }, options);
}

const intOrStringKeywords = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
} as const;

function numeric<P extends Presence>(
  type: 'integer' | 'number',
  format: string | undefined,
  options: NumberOptions,
): Schema<number, P> {
  const { minimum, maximum, multipleOf } = options;
  return makeSchema({ type, ...defined({ format, minimum, maximum, multipleOf }) }, options);
}

/** The entries whose value is not undefined. */
export function defined<T extends object>(entries: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(entries).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
