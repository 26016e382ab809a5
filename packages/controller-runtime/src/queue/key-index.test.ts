// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { KeyIndex, none } from './key-index.ts';

vi.setConfig({ testTimeout: 120_000 });

type Key = string | number | undefined;

/** The same with a plain list. */
class Model {
  keys: Key[] = [];

  numberOf(key: Key): number {
    const known = this.keys.indexOf(key);
    return known >= 0 ? known : this.keys.push(key) - 1;
  }

  keep(kept: (number: number) => boolean): Int32Array {
    let next = 0;
    const renumbered = Int32Array.from(this.keys, (_, number) => (kept(number) ? next++ : none));
    this.keys = this.keys.filter((_, number) => kept(number));
    return renumbered;
  }
}

const key: fc.Arbitrary<Key> = fc.oneof(
  fc.nat(300).map((number) => `namespace/object-${number}`),
  fc.string({ maxLength: 2 }),
  fc.nat(20),
  fc.constant(undefined),
);
const step = fc.oneof(
  { weight: 30, arbitrary: fc.record({ do: fc.constant('add' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('keep' as const), every: fc.integer({ min: 1, max: 9 }) }) },
);

describe('key index', () => {
  test('numbers any keys as a plain list would, whatever is kept of them', () => {
    fc.assert(
      fc.property(fc.constantFrom(0, 20, 1000), fc.array(step, { maxLength: 400, size: 'max' }), (mostInMap, steps) => {
        const index = new KeyIndex<Key>(mostInMap);
        const model = new Model();
        const same = steps.map((step) => {
          if (step.do === 'add') return index.numberOf(step.key) === model.numberOf(step.key);
          index.keep(model.keep((number) => number % step.every === 0));
          return index.size === model.keys.length;
        });
        expect(same).not.toContain(false);
        expect(Array.from({ length: index.size }, (_, number) => index.keyAt(number))).toEqual(model.keys);
        expect(model.keys.map((key) => index.find(key))).toEqual(model.keys.map((_, number) => number));
        expect(index.find('unheard of')).toBe(none);
      }),
      { numRuns: 300 },
    );
  });

  test('keys with the same hash are distinguished, and cost no more than the tries', () => {
    const colliding = keysOfOneHash(200);
    const index = new KeyIndex<string>(0);
    expect(colliding.map((key) => index.numberOf(key))).toEqual(colliding.map((_, number) => number));
    expect(colliding.map((key) => index.find(key))).toEqual(colliding.map((_, number) => number));
    for (let number = 0; number < 10_000; number++) index.numberOf(`other-${number}`);
    expect(colliding.map((key) => index.find(key))).toEqual(colliding.map((_, number) => number));
    index.keep(Int32Array.from({ length: index.size }, (_, number) => (number < 100 ? number : none)));
    expect(colliding.map((key) => index.find(key))).toEqual(colliding.map((_, n) => (n < 100 ? n : none)));
  });

  test('half a million keys keep their numbers through growth, and a tenth of them through being kept', () => {
    const keys = Array.from({ length: 500_000 }, (_, number) => `namespace-${number % 7}/object-${number}`);
    const index = new KeyIndex<string>();
    expect(keys.every((key, number) => index.numberOf(key) === number)).toBe(true);
    index.keep(Int32Array.from(keys, (_, number) => (number % 10 === 0 ? number / 10 : none)));
    expect(keys.every((key, number) => index.find(key) === (number % 10 === 0 ? number / 10 : none))).toBe(true);
  });
});

/**
 * The hash is a chain of `(hash ^ character) * factor`. The third character can change the lower half of the hash of
 * the first two into anything, so two keys with the same upper half can be made to collide.
 */
function keysOfOneHash(count: number): readonly string[] {
  const factor = 0x9e3779b1;
  const found: string[] = [];
  for (let first = 0; first < 0x10000; first++) {
    for (let second = 0; second < 1024 && found.length < count; second++) {
      const product = Math.imul(Math.imul(4 ^ first, factor) ^ second, factor);
      if (product >>> 16 === 0) found.push(String.fromCharCode(first, second, product & 0xffff, 0x41));
    }
  }
  expect(found).toHaveLength(count);
  return found;
}
