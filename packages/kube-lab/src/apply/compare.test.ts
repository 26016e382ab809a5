// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equalJson, isObject, type Json, type JsonObject } from '../json/json.ts';
import { compareValues } from './compare.ts';
import { FieldSet, pathText } from './field-set.ts';
import { deducedType } from './field-type.ts';

/** Small objects of maps, lists and scalars without a known type, so lists are atomic. */
const scalars = fc.constantFrom<Json>('a', 'b', 1, true);
const { object: objects } = fc.letrec<{ object: JsonObject; value: Json }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalars, fc.array(scalars, { maxLength: 2 }), tie('object')),
  object: fc.dictionary(fc.constantFrom('x', 'y', 'z'), tie('value'), { maxKeys: 3 }) as fc.Arbitrary<JsonObject>,
}));

/** Every path of a value and of everything inside it. */
function allPaths(value: Json | undefined, path: string): readonly string[] {
  if (!isObject(value)) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => allPaths(item, `${path}.${key}`))];
}

/** The model: every path at which the two differ and how, found by walking both without sets. */
function differences(before: JsonObject, after: JsonObject, path = ''): readonly (readonly [string, string])[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const [left, right] = [before[key], after[key]];
    const here = `${path}.${key}`;
    if (left === undefined) return allPaths(right, here).map((one) => [one, 'added'] as const);
    if (right === undefined) return allPaths(left, here).map((one) => [one, 'removed'] as const);
    if (isObject(left) && isObject(right)) return differences(left, right, here);
    return equalJson(left, right) ? [] : [[here, 'modified'] as const];
  });
}

describe('the comparison of two versions', () => {
  test('of a value with nothing names everything, and of equal values nothing', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const same = compareValues(deducedType, object, structuredClone(object));
        expect([same.added.isEmpty, same.modified.isEmpty, same.removed.isEmpty]).toEqual([true, true, true]);
        const fresh = compareValues(deducedType, {}, object);
        const gone = compareValues(deducedType, object, {});
        expect(fresh.added.equals(gone.removed)).toBe(true);
        expect(fresh.modified.isEmpty && fresh.removed.isEmpty).toBe(true);
      }),
    );
  });

  test('finds what a walk through both finds', () => {
    fc.assert(
      fc.property(objects, objects, (before, after) => {
        const { added, modified, removed } = compareValues(deducedType, before, after);
        const found = Object.entries({ added, modified, removed }).flatMap(([which, set]) =>
          set.paths().map((path) => [pathText(path), which] as const),
        );
        expect(Object.fromEntries(found)).toEqual(Object.fromEntries(differences(before, after)));
      }),
    );
  });
});

describe('a set of paths', () => {
  const elements = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:1');
  const sets = fc
    .array(fc.array(elements, { minLength: 1, maxLength: 3 }), { maxLength: 6 })
    .map((paths) => FieldSet.of(...paths));
  const texts = (set: FieldSet) => new Set(set.paths().map((path) => path.join(' ')));

  test('comes back from its written form', () => {
    fc.assert(
      fc.property(sets, (set) => {
        expect(FieldSet.fromFieldsV1(JSON.parse(set.fieldsText())).equals(set)).toBe(true);
      }),
    );
  });

  test('behaves as a set of texts does', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [left, right] = [[...texts(a)], [...texts(b)]];
        expect(texts(a.union(b))).toEqual(new Set([...left, ...right]));
        expect(texts(a.intersection(b))).toEqual(new Set(left.filter((path) => right.includes(path))));
        expect(texts(a.difference(b))).toEqual(new Set(left.filter((path) => !right.includes(path))));
        expect(a.equals(b)).toBe(left.length === right.length && left.every((path) => right.includes(path)));
        const kept = left.filter((path) => !right.some((top) => `${path} `.startsWith(`${top} `)));
        expect(texts(a.recursiveDifference(b))).toEqual(new Set(kept));
      }),
    );
  });
});
