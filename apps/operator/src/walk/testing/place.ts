// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@operator-parts/crd';
import { fieldsOf, type JsonFields } from '../../api/json-fields.ts';
import { exampleFor, needsOf } from './examples.ts';
import type { Leaf, Way } from './leaves.ts';
import { valuesOf } from './values.ts';

/**
 * A spec with one leaf set, together with the other fields that it needs. If the value is undefined, this is the base without those fields.
 */
export function withLeaf(schema: StructuralSchema, base: JsonFields, leaf: Leaf, value: unknown): JsonFields {
  if (value === undefined) return base;
  return fieldsOf(placed(schema, base, leaf.ways, { path: 'spec', leaf, value }));
}

/** A spec with the fields that a leaf needs, but without the leaf. */
export function groundOf(schema: StructuralSchema, base: JsonFields, { path }: Leaf): JsonFields {
  const beside = Object.entries(exampleFor(path)?.beside ?? {});
  const known = beside.filter(([name]) => Object.hasOwn(schema.properties ?? {}, name));
  return merged(base, Object.fromEntries(known));
}

interface Placing {
  readonly path: string;
  readonly leaf: Leaf;
  readonly value: unknown;
}

function placed(schema: StructuralSchema, at: unknown, ways: readonly Way[], placing: Placing): unknown {
  const [way, ...rest] = ways;
  const { path, leaf, value } = placing;
  if (way === undefined) return value;
  if (way === 'item') return [placed(schema.items ?? {}, undefined, rest, { ...placing, path: `${path}[]` })];
  const example = exampleFor(leaf.path);
  if (way === 'entry') {
    const below = placed(schema.additionalProperties ?? {}, undefined, rest, { ...placing, path: `${path}.*` });
    return { ...fieldsOf(at), [example?.key ?? 'walk']: below };
  }
  const { field } = way;
  const child = schema.properties?.[field] ?? {};
  const inner = rest.filter((later) => typeof later !== 'string').length;
  const have = isSpec(path) ? groundOf(schema, fieldsOf(at), leaf) : fieldsOf(at);
  const near = { ...(inner === 0 && example?.siblings), ...(inner === 1 && example?.around) };
  const here = { ...needsOf(path), ...near, ...have };
  const below = placed(child, here[field], rest, { ...placing, path: `${path}.${field}` });
  return { ...required(schema, path, field, here), ...here, [field]: below };
}

/** True for the spec of the kind, and for the spec of an EtcdCluster inside it. */
function isSpec(path: string): boolean {
  return path === 'spec' || path.endsWith('.clusterSpec');
}

/** The required fields of an object that are still missing, apart from `field`. */
function required(schema: StructuralSchema, path: string, field: string, have: JsonFields): JsonFields {
  const missing = (schema.required ?? []).filter((name) => name !== field && !Object.hasOwn(have, name));
  return Object.fromEntries(
    missing.map((name) => [name, smallest(schema.properties?.[name] ?? {}, `${path}.${name}`)]),
  );
}

/** The smallest value that a schema accepts. */
function smallest(schema: StructuralSchema, path: string): unknown {
  if (schema.items) return [smallest(schema.items, `${path}[]`)];
  if (schema.properties) return required(schema, path, '', {});
  if (schema.additionalProperties) return {};
  return valuesOf({ path, schema })[0];
}

/** Objects are merged field by field, null removes a field, and all other values replace the old one. */
function merged(base: JsonFields, over: JsonFields): JsonFields {
  const entries = Object.entries(over).map(([name, value]) => {
    const both = isObject(value) && isObject(base[name]);
    return [name, both ? merged(fieldsOf(base[name]), fieldsOf(value)) : value] as const;
  });
  const all = { ...base, ...Object.fromEntries(entries) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
