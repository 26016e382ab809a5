// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMemberName, longestClusterName, nextMemberName, seedName } from './member-naming.ts';

const uid = '0b7a3c3e-6c2f-4f52-9a3e-6b1f5d1c2a77';
const shape = /^example-[bcdfghjklmnpqrstvwxz2456789]{10}$/;

describe('[29] names of members', () => {
  test("are the name of the cluster and ten letters of CoreOS's alphabet", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 99 }), fc.array(fc.uuid()), (id, incarnation, members) => {
        expect(seedName('example', id, incarnation)).toMatch(shape);
        expect(nextMemberName('example', id, incarnation, members, new Set())).toMatch(shape);
      }),
      { seed: 29, numRuns: 200 },
    );
  });

  test('fit a DNS label also for the longest name of a cluster', () => {
    expect(seedName('a'.repeat(longestClusterName), uid, 1)).toHaveLength(63);
  });

  test('are recognised, those that CoreOS counted too', () => {
    for (const name of [seedName('example', uid, 1), 'example-0000', 'example-0017', 'example-10000']) {
      expect(isMemberName('example', name)).toBe(true);
    }
    for (const name of ['example', 'example-', 'example-abc', 'example-aeiouaeiou', 'other-0000', 'example-client']) {
      expect(isMemberName('example', name)).toBe(false);
    }
  });

  test('operator rule 13: the same view gives the same name, another view another', () => {
    const none = new Set<string>();
    expect(nextMemberName('c', uid, 1, ['b', 'a'], none)).toBe(nextMemberName('c', uid, 1, ['a', 'b'], none));
    const names = [
      seedName('c', uid, 1),
      seedName('c', uid, 2),
      nextMemberName('c', uid, 1, ['a'], none),
      nextMemberName('c', uid, 2, ['a'], none),
      nextMemberName('c', uid, 1, ['a', 'b'], none),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  test('a name that is still borne is passed over', () => {
    const first = nextMemberName('c', uid, 1, ['a'], new Set());
    const second = nextMemberName('c', uid, 1, ['a'], new Set([first]));
    expect(second).not.toBe(first);
    expect(isMemberName('c', second)).toBe(true);
  });
});
