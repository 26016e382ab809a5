// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cloneJson, isObject, type Json, type JsonObject } from '../../json/json.ts';
import { applyDefaults } from './defaults.ts';
import { pruneUnknown } from './prune.ts';
import { readSchema } from './schema-node.ts';

const schema = readSchema({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      default: {},
      properties: {
        size: { type: 'integer', default: 3 },
        name: { type: 'string' },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
        tags: {
          type: 'object',
          additionalProperties: { type: 'object', properties: { on: { type: 'boolean', default: true } } },
        },
        items: { type: 'array', items: { type: 'object', properties: { key: { type: 'string', default: 'k' } } } },
      },
    },
  },
});

const names = fc.constantFrom('spec', 'size', 'name', 'open', 'tags', 'items', 'key', 'a', 'on', 'stray', '__proto__');
const { object: objects } = fc.letrec<{ object: JsonObject; value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>('x', 1, true),
    fc.array(tie('value'), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonObject>,
}));

describe('what a schema does not know', () => {
  test('is left out once and for all, and told by its path', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const first = pruneUnknown(object, schema);
        const kept = cloneJson(object);
        expect(pruneUnknown(object, schema)).toEqual([]);
        expect(object).toEqual(kept);
        expect(first).toEqual([...first].sort());
      }),
    );
  });

  test('does not depend on defaults: they are known', () => {
    fc.assert(
      fc.property(objects, (object) => {
        pruneUnknown(object, schema);
        applyDefaults(object, schema);
        expect(pruneUnknown(object, schema)).toEqual([]);
      }),
    );
  });

  test('stays where the schema keeps it', () => {
    const object = {
      spec: { open: { stray: { deep: 1 } }, tags: { any: { on: false, stray: 1 } }, stray: 1 },
      stray: 1,
    };
    expect(pruneUnknown(object, schema)).toEqual(['spec.stray', 'spec.tags.any.stray', 'stray']);
    expect(object).toEqual({ spec: { open: { stray: { deep: 1 } }, tags: { any: { on: false } } } });
  });
});

describe('defaults', () => {
  test('are filled in once and change nothing that is there', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const before = cloneJson(object);
        applyDefaults(object, schema);
        const after = cloneJson(object);
        applyDefaults(object, schema);
        expect(object).toEqual(after);
        expect(isWithin(before, after)).toBe(true);
      }),
    );
  });

  test('of a whole object bring those inside it', () => {
    const object: JsonObject = {};
    applyDefaults(object, schema);
    expect(object).toEqual({ spec: { size: 3 } });
  });
});

/** True if `whole` contains everything in `part`, unchanged. */
function isWithin(part: Json | undefined, whole: Json | undefined): boolean {
  if (Array.isArray(part)) return Array.isArray(whole) && part.every((item, index) => isWithin(item, whole[index]));
  if (!isObject(part)) return part === whole;
  return isObject(whole) && Object.keys(part).every((key) => isWithin(part[key], whole[key]));
}
