// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@operator-parts/crd';
import fc from 'fast-check';
import { exampleFor } from './examples.ts';
import type { Leaf } from './leaves.ts';

/**
 * Values of one leaf: the first is set, then changed to the second. Some leaves accept only one value, and forbidden leaves accept none.
 */
export type Values = readonly unknown[];

/** Thrown if the walk has no valid value for a leaf. The message says what to add, and where. */
export class NoValue extends Error {
  constructor(path: string, why: string) {
    super(`${path}: ${why}. Add valid values for it to examples in apps/operator/src/walk/testing/examples.ts.`);
    this.name = 'NoValue';
  }
}

/** Valid values of a leaf, from the table of examples or made from its schema. */
export function valuesOf({ path, schema }: Pick<Leaf, 'path' | 'schema'>): Values {
  const example = exampleFor(path);
  return example?.isForbidden ? [] : (example?.values ?? made(path, schema));
}

function made(path: string, schema: StructuralSchema): Values {
  const { type, minimum = 0, maximum = Number.POSITIVE_INFINITY } = schema;
  if (schema.enum) return [schema.enum[0], ...schema.enum.slice(1)];
  if (schema['x-kubernetes-int-or-string']) return schema.pattern === undefined ? [1, 2] : ['1Gi', '2Gi'];
  switch (type) {
    case 'boolean':
      return [true, false];
    case 'integer':
    case 'number': {
      const [first, second] = [Math.max(minimum, 1) + 1_200, Math.max(minimum, 1) + 1_201];
      return second <= maximum ? [first, second] : [minimum, maximum];
    }
    case 'string':
      return texts(path, schema);
    default:
      throw new NoValue(path, 'its schema says nothing of what is in it');
  }
}

function texts(path: string, { format, pattern, maxLength = 32, minLength = 0 }: StructuralSchema): Values {
  if (format === 'duration') return ['90s', '5m'];
  if (pattern !== undefined)
    return matching(path, pattern, (text) => text.length >= minLength && text.length <= maxLength);
  if (format !== undefined) throw new NoValue(path, `no value is made for the format ${format}`);
  if (maxLength < 6 || minLength > 6) throw new NoValue(path, 'the usual values do not have its length');
  return ['walk-a', 'walk-b'];
}

/** Two strings that match a pattern, the same in every run. */
function matching(path: string, pattern: string, hasLength: (text: string) => boolean): Values {
  const anyOf = fc.stringMatching(new RegExp(pattern)).filter(hasLength);
  const found = new Set(fc.sample(anyOf, { seed: 1, numRuns: 50 }));
  if (found.size < 2) throw new NoValue(path, `only ${found.size} value is made for the pattern ${pattern}`);
  return [...found].slice(0, 2);
}

/** A wrong value, and whether the API server must reject it. */
export interface BadValue {
  readonly what: string;
  readonly value: unknown;
  /** `maybe`: the schema accepts it, but a rule may reject it. */
  readonly isRefused: 'surely' | 'maybe';
}

/** Values of a wrong type or outside the bounds, which the schema rejects, and strange values of the right type, which it may accept. */
export function badValuesOf({ path, schema }: Pick<Leaf, 'path' | 'schema'>): readonly BadValue[] {
  const example = exampleFor(path);
  const semantic = (example?.bad ?? []).map((value) => maybe(`is ${JSON.stringify(value)}`, value));
  const forbidden = (example?.isForbidden ? made(path, schema) : []).map((value) => surely('is forbidden', value));
  const object = { odd: { deep: [] } };
  // An object type without this field accepts the object and drops the field.
  const isObject = schema.type === 'object' ? maybe('has odd fields', object) : surely('is an object', object);
  const never = [maybe('is null', null), isObject];
  return [...forbidden, ...never, ...ofType(schema), ...semantic];
}

function ofType(schema: StructuralSchema): readonly BadValue[] {
  const { type, minimum, maximum, maxLength, minLength = 0, pattern } = schema;
  if (schema.enum) return [surely('is not in the enumeration', 'Sometimes')];
  if (schema['x-kubernetes-int-or-string'])
    return [surely('is no quantity', 'many'), surely('is true', true), maybe('is negative', '-1')];
  switch (type) {
    case 'boolean':
      return [surely('is a word', 'yes'), surely('is a number', 1)];
    case 'integer':
    case 'number':
      return [
        surely('is a word', 'seven'),
        ...(type === 'integer' ? [surely('is a fraction', 1.5)] : []),
        minimum === undefined ? maybe('is negative', -1) : surely('is too low', minimum - 1),
        maximum === undefined ? maybe('is large', 2_147_483_647) : surely('is too high', maximum + 1),
      ];
    default:
      return [
        surely('is a number', 7),
        surely('is a list', ['walk']),
        minLength > 0 ? surely('is empty', '') : maybe('is empty', ''),
        ...(maxLength !== undefined ? [surely('is too long', 'x'.repeat(maxLength + 1))] : []),
        pattern === undefined ? maybe('is odd', odd) : surely('does not match', odd),
      ];
  }
}

/** Not a valid name, label, path, image, URL, time or number. */
const odd = ' Ärger: {{ .Values.x }}/..?#\n';

const surely = (what: string, value: unknown): BadValue => ({ what, value, isRefused: 'surely' });
const maybe = (what: string, value: unknown): BadValue => ({ what, value, isRefused: 'maybe' });
