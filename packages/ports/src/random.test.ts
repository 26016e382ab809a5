// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Random, seededRandom, systemRandom } from './random.ts';

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const subjects: readonly { readonly name: string; readonly random: Random }[] = [
  { name: 'system randomness', random: systemRandom },
  { name: 'seeded randomness', random: seededRandom(1) },
];

describe.each(subjects)('$name', ({ random }) => {
  test('next lies in [0, 1) and is spread evenly', () => {
    const buckets = new Array<number>(10).fill(0);
    for (let draw = 0; draw < 10_000; draw++) {
      const value = random.next();
      expect(value >= 0 && value < 1).toBe(true);
      const bucket = Math.floor(value * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    // Ten standard deviations: a fair source never reaches this, a broken one always does.
    for (const count of buckets) expect(Math.abs(count - 1000)).toBeLessThan(300);
  });

  test('uuid is a version 4 UUID and does not repeat', () => {
    const uuids = Array.from({ length: 1000 }, () => random.uuid());
    for (const uuid of uuids) expect(uuid).toMatch(uuid4);
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  test('bytes are as many as asked for, of every value', () => {
    fc.assert(fc.property(fc.nat(300), (length) => random.bytes(length).length === length));
    expect(new Set(random.bytes(8192)).size).toBe(256);
  });
});

describe('seeded randomness', () => {
  const take = (random: Random) => [random.next(), random.uuid(), [...random.bytes(5)], random.next()];

  test('the same seed gives the same sequence', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(take(seededRandom(seed))).toEqual(take(seededRandom(seed)));
      }),
    );
  });

  test('two of the same seed do not share their state', () => {
    const one = seededRandom(7);
    const other = seededRandom(7);
    const first = one.next();
    one.next();
    expect(other.next()).toBe(first);
  });

  test('neighbouring seeds give different sequences', () => {
    const firsts = Array.from({ length: 1000 }, (_, seed) => seededRandom(seed).next());
    expect(new Set(firsts).size).toBe(1000);
  });

  test('a seed means the same sequence tomorrow, so that a failing simulation can be run again', () => {
    const random = seededRandom(2026);
    expect([random.next(), random.next(), random.uuid()]).toMatchInlineSnapshot(`
      [
        0.45540769933722913,
        0.30849614599719644,
        "a99e2638-aecd-4b0a-919e-631d2d5468eb",
      ]
    `);
  });
});
