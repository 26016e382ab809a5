// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { StructureCache } from './structure-cache.ts';
import { deepFreeze } from './transform.ts';

/** Long limits: thousands of runs or real connections on a possibly busy machine. */
vi.setConfig({ testTimeout: 120_000 });

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Small alphabets, so that equal and nearly equal parts are common. */
const leaf = fc.oneof(fc.constantFrom('a', 'b', 'ab', '', '__proto__'), fc.integer({ min: -1, max: 1 }), fc.boolean());
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'name', '__proto__', 'toString'), tie('tree'), { maxKeys: 3 }),
  ),
}));
const objects = fc.array(fc.dictionary(fc.constantFrom('spec', 'status', 'metadata'), tree, { maxKeys: 3 }), {
  maxLength: 12,
});

describe('structure cache', () => {
  test('whatever is shared, every object stays what it was, to the order of its keys', () => {
    fc.assert(
      fc.property(objects, (all) => {
        const cache = new StructureCache();
        const wanted = all.map((one) => JSON.stringify(one));
        const held = wanted.map((text) => cache.share(JSON.parse(text) as object));
        expect(held.map((one) => JSON.stringify(one))).toEqual(wanted);
      }),
      { numRuns: 2000 },
    );
  });

  test('equal parts of different objects become one; what differs stays apart', () => {
    const cache = new StructureCache();
    const pod = (name: string, port: number) => ({
      metadata: { name, labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', ports: [{ port }], probe: { path: '/healthz', period: 10 } }] },
    });
    const [one, two, other] = [pod('one', 80), pod('two', 80), pod('three', 81)].map((made) => cache.share(made));
    expect(two?.spec).toBe(one?.spec);
    expect(two?.metadata).not.toBe(one?.metadata);
    expect(two?.metadata.labels).toBe(one?.metadata.labels);
    expect(other?.spec).not.toBe(one?.spec);
    expect(other?.spec.containers[0]?.probe).toBe(one?.spec.containers[0]?.probe);
  });

  test('arrays and objects that look alike are not mistaken for each other', () => {
    const cache = new StructureCache();
    const texts = ['{"x":[]}', '{"x":{}}', '{"x":["a"]}', '{"x":{"0":"a"}}', '{"x":[null]}', '{"x":{"a":null}}'];
    const held = texts.map((text) => cache.share(JSON.parse(text) as object));
    expect(held.map((one) => JSON.stringify(one))).toEqual(texts);
  });

  test('frozen objects are left as they are, and can be shared from', () => {
    const cache = new StructureCache();
    const frozen = deepFreeze({ spec: { list: [{ a: 1 }] } });
    expect(cache.share(frozen)).toEqual({ spec: { list: [{ a: 1 }] } });
    expect(cache.share(copy(frozen)).spec).toBe(frozen.spec);
  });

  test('a part of states that are gone is forgotten, and one that is seen again and again is not', () => {
    const cache = new StructureCache(() => 300);
    const state = (revision: number) => ({ spec: { probe: '/healthz' }, status: { revision } });
    const first = cache.share(state(1));
    const [spec, status] = [first.spec, first.status];
    for (let revision = 2; revision < 500; revision++) cache.share(state(revision));
    expect(cache.share(state(1)).status).toBe(status);
    for (let revision = 501; revision < 2_000; revision++) cache.share(state(revision));
    expect(cache.share(state(1)).status).not.toBe(status);
    expect(cache.share(state(1)).spec).toBe(spec);
  });
});
