// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import {
  anything,
  bool,
  choice,
  enumeration,
  int32,
  int64,
  intOrString,
  list,
  map,
  nullable,
  number,
  object,
  optional,
  quantity,
  type Schema,
  set,
  string,
} from '../index.ts';
import { mismatches } from './mismatches.ts';

const wrong = (schema: Schema, value: unknown) =>
  mismatches(schema.structural, value).map(({ path, message }) => `${path} ${message}`.trim());

describe('a value', () => {
  test.each<[string, Schema, unknown]>([
    ['a string', string({ minLength: 1, maxLength: 3, pattern: '^a' }), 'abc'],
    ['a string counted in characters, not in units', string({ maxLength: 1 }), '😀'],
    ['a string that matches without regard to case', string({ pattern: '(?i)^ABC$' }), 'abc'],
    ['a string that matches a named group', string({ pattern: '^(?P<a>x)\\-$' }), 'x-'],
    ['a value of an enumeration', enumeration(['A', 'B']), 'B'],
    ['a boolean of a choice', choice([true, 'A']), true],
    ['a string of a choice', choice([true, 'A']), 'A'],
    ['a whole number', int32({ minimum: -1, maximum: 1 }), -1],
    ['a long number', int64(), 2 ** 40],
    ['a fraction', number(), 0.5],
    ['a boolean', bool(), false],
    ['a null where it is allowed', nullable(string()), null],
    ['a number or a string', intOrString(), '10%'],
    ['a quantity as text', quantity(), '1.5Gi'],
    ['a quantity as a number', quantity(), 3],
    ['anything', anything(), [null]],
    ['a null as anything', anything(), null],
    ['a list', list(string(), { minItems: 1, maxItems: 1 }), ['a']],
    ['a map', map(int32(), { maxProperties: 1 }), { a: 1 }],
    ['an object without its optional field', object({ a: string(), b: optional(string()) }), { a: 'x' }],
    ['an unknown field where those are kept', object({}, { preserveUnknownFields: true }), { a: 1 }],
  ])('fits: %s', (_what, schema, value) => {
    expect(wrong(schema, value)).toEqual([]);
  });

  test.each<[string, Schema, unknown, readonly string[]]>([
    ['a number as a string', string(), 1, ['must be a string']],
    ['a short string', string({ minLength: 2 }), 'a', ['must have at least 2 characters']],
    ['a long string', string({ maxLength: 1 }), 'ab', ['must have at most 1 characters']],
    ['a string of another form', string({ pattern: '^a' }), 'b', ['must match ^a']],
    ['an unknown value', enumeration(['A']), 'B', ['must be one of A']],
    ['a word that only looks like a boolean', choice([true, 'A']), 'true', ['must be one of true, A']],
    ['a fraction', int32(), 0.5, ['must be a whole number']],
    ['a number of 33 bits', int32(), 2 ** 31, ['must fit into 32 bits']],
    ['a low number', number({ minimum: 1 }), 0, ['must be at least 1']],
    ['a high number', number({ maximum: 1 }), 2, ['must be at most 1']],
    ['an odd number', int32({ multipleOf: 2 }), 3, ['must be a multiple of 2']],
    ['infinity', number(), Number.POSITIVE_INFINITY, ['must be a finite number']],
    ['a string as a number', int32(), '1', ['must be a number']],
    ['a string as a boolean', bool(), 'true', ['must be true or false']],
    ['a null', string(), null, ['must not be null']],
    ['a fraction as number or string', intOrString(), 0.5, ['must be a whole number or a string']],
    ['an object as a list', list(string()), {}, ['must be a list']],
    ['a list as an object', object({}), [], ['must be an object']],
    ['a short list', list(string(), { minItems: 1 }), [], ['must have at least 1 items']],
    ['a long list', list(string(), { maxItems: 0 }), ['a'], ['must have at most 0 items']],
    ['a repeated item', set(string()), ['a', 'a'], ['must not repeat an item']],
    ['a wrong item', list(string()), ['a', 1], ['[1] must be a string']],
    ['a wrong entry', map(string()), { a: 1 }, ['a must be a string']],
    ['too few entries', map(string(), { minProperties: 1 }), {}, ['must have at least 1 entries']],
    ['too many entries', map(string(), { maxProperties: 0 }), { a: 'b' }, ['must have at most 0 entries']],
    ['a missing field', object({ a: object({ b: string() }) }), { a: {} }, ['a.b is required']],
    ['an unknown field', object({ a: optional(object({})) }), { a: { b: 1 } }, ['a.b is not a field of the schema']],
    ['a field of every object', object({}), JSON.parse('{"__proto__":1}'), ['__proto__ is not a field of the schema']],
  ])('does not fit: %s', (_what, schema, value, problems) => {
    expect(wrong(schema, value)).toEqual(problems);
  });
});
