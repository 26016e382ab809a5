// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { named, schemaOf, spec } from '../../testing/patch-schemas.ts';
import { applyStrategicPatch } from './strategic-patch.ts';

const pods = schemaOf('v1', 'Pod');
const deployments = schemaOf('apps/v1', 'Deployment');

describe('applying', () => {
  test.each<[string, object, object, object]>([
    [
      'merges containers by name and puts new ones before',
      spec({ containers: [{ name: 'a', image: '1', env: [{ name: 'x', value: 'y' }] }, { name: 'b' }] }),
      spec({ containers: [{ name: 'c' }, { name: 'a', image: '2' }] }),
      spec({ containers: [{ name: 'c' }, { name: 'a', image: '2', env: [{ name: 'x', value: 'y' }] }, { name: 'b' }] }),
    ],
    [
      'deletes an item by $patch: delete',
      spec({ containers: named('a', 'b') }),
      spec({ containers: [{ name: 'a', $patch: 'delete' }] }),
      spec({ containers: named('b') }),
    ],
    [
      'replaces a list by $patch: replace',
      spec({ containers: named('a', 'b') }),
      spec({ containers: [{ name: 'c' }, { $patch: 'replace' }] }),
      spec({ containers: named('c') }),
    ],
    [
      'replaces an object by $patch: replace',
      spec({ hostname: 'h', nodeName: 'n' }),
      spec({ $patch: 'replace', hostname: 'i' }),
      spec({ hostname: 'i' }),
    ],
    ['empties an object by $patch: delete', spec({ hostname: 'h' }), spec({ $patch: 'delete' }), spec({})],
    [
      'orders by $setElementOrder, and keeps items of others before what they stood before',
      spec({ containers: named('a', 'other', 'b', 'c') }),
      spec({ '$setElementOrder/containers': named('c', 'b', 'a') }),
      spec({ containers: named('other', 'c', 'b', 'a') }),
    ],
    [
      'adds, deletes and orders at once',
      spec({ containers: named('c', 'd', 'e', 'a') }),
      spec({
        containers: [...named('b'), { name: 'c', $patch: 'delete' }, { name: 'd', $patch: 'delete' }],
        '$setElementOrder/containers': named('e', 'b'),
      }),
      spec({ containers: named('e', 'a', 'b') }),
    ],
    [
      'merges values of a set and deletes from it',
      { metadata: { finalizers: ['a', 'b', 'c'] } },
      { metadata: { finalizers: ['d'], '$deleteFromPrimitiveList/finalizers': ['b'] } },
      { metadata: { finalizers: ['d', 'a', 'c'] } },
    ],
    [
      'orders values of a set',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { '$setElementOrder/finalizers': ['b', 'a'] } },
      { metadata: { finalizers: ['b', 'a'] } },
    ],
    [
      'keeps only the keys that $retainKeys names',
      spec({ volumes: [{ name: 'v', emptyDir: {} }] }),
      spec({ volumes: [{ name: 'v', hostPath: { path: '/' }, $retainKeys: ['name', 'hostPath'] }] }),
      spec({ volumes: [{ name: 'v', hostPath: { path: '/' } }] }),
    ],
    [
      'replaces lists that have no strategy',
      spec({ tolerations: [{ key: 'a' }], containers: [{ name: 'a', args: ['1', '2'] }] }),
      spec({ tolerations: [{ key: 'b' }], containers: [{ name: 'a', args: ['3'] }] }),
      spec({ tolerations: [{ key: 'b' }], containers: [{ name: 'a', args: ['3'] }] }),
    ],
    [
      'removes by null',
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { a: null } } },
      { metadata: { labels: { b: '2' } } },
    ],
    [
      'drops nulls and directives from what it brings in',
      {},
      spec({ containers: [{ name: 'a', image: null, resources: { $patch: 'delete' } }], hostname: null }),
      spec({ containers: [{ name: 'a' }] }),
    ],
    [
      'drops nulls from items it adds and lists it replaces',
      spec({ volumes: [{ name: 'a' }], tolerations: [] }),
      spec({ volumes: [{ name: 'b', hostPath: null, emptyDir: {} }], tolerations: [{ key: null, value: 'v' }] }),
      spec({ volumes: [{ name: 'b', emptyDir: {} }, { name: 'a' }], tolerations: [{ value: 'v' }] }),
    ],
    ['merges an absent list of a set', {}, { metadata: { finalizers: ['a'] } }, { metadata: { finalizers: ['a'] } }],
    ['ignores deletions from a list that is not there', {}, { '$deleteFromPrimitiveList/finalizers': ['b'] }, {}],
  ])('%s', (_, object, patch, expected) => {
    const before = structuredClone([object, patch]);
    expect(applyStrategicPatch<object>(object, patch, pods)).toEqual(expected);
    expect([object, patch]).toEqual(before);
  });

  test('retains the keys of a deployment strategy', () => {
    const before = spec({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } });
    const patch = spec({ strategy: { type: 'Recreate', $retainKeys: ['type'] } });
    expect(applyStrategicPatch<object>(before, patch, deployments)).toEqual(spec({ strategy: { type: 'Recreate' } }));
  });

  test('replaces objects whose strategy is replace', () => {
    const budgets = schemaOf('policy/v1', 'PodDisruptionBudget');
    const result = applyStrategicPatch<object>(spec({ selector: { a: 1 } }), spec({ selector: { b: 1 } }), budgets);
    expect(result).toEqual(spec({ selector: { b: 1 } }));
  });

  test.each<[string, object, object, string]>([
    ['an item without merge key', spec({ containers: named('a') }), spec({ containers: [{ image: 'x' }] }), 'MergeKey'],
    ['a live item without merge key', spec({ containers: [{}] }), spec({ containers: named('a') }), 'MergeKey'],
    [
      'a deletion without merge key',
      spec({ containers: named('a') }),
      spec({ containers: [{ $patch: 'delete' }] }),
      'MergeKey',
    ],
    ['an unknown directive', spec({}), spec({ $patch: 'explode' }), 'Malformed'],
    [
      'an unknown directive of an item',
      spec({ containers: named('a') }),
      spec({ containers: [{ name: 'a', $patch: 'merge' }] }),
      'Malformed',
    ],
    ['items of different types', spec({ containers: named('a') }), spec({ containers: ['b'] }), 'Malformed'],
    ['null in a merged list', spec({ containers: named('a') }), spec({ containers: [null] }), 'Malformed'],
    ['a list in a merged list', spec({ containers: named('a') }), spec({ containers: [[]] }), 'Malformed'],
    [
      'an order that the items do not follow',
      spec({ containers: named('a', 'b') }),
      spec({ containers: named('b', 'a'), '$setElementOrder/containers': named('a', 'b') }),
      'Malformed',
    ],
    [
      'an order of something that is no list',
      spec({ hostname: 'h' }),
      spec({ '$setElementOrder/hostname': [] }),
      'Malformed',
    ],
    ['an order that is no list', spec({}), spec({ '$setElementOrder/containers': 'x' }), 'Malformed'],
    ['an order of nothing', spec({}), spec({ $setElementOrder: [] }), 'Malformed'],
    ['a key beside $retainKeys', spec({}), spec({ a: 1, $retainKeys: ['b'] }), 'Malformed'],
    ['$retainKeys that is no list', spec({}), spec({ $retainKeys: 'b' }), 'Malformed'],
    [
      'values deleted from objects',
      spec({ containers: named('a') }),
      spec({ '$deleteFromPrimitiveList/containers': named('a') }),
      'Malformed',
    ],
    ['a patch that is no object', {}, [], 'Malformed'],
  ])('is refused for %s', (_, object, patch, code) => {
    expect(() => applyStrategicPatch(object, patch, pods)).toThrow(
      expect.objectContaining({ name: 'PatchError', code }),
    );
  });

  test('never touches a prototype', () => {
    const patch: unknown = JSON.parse('{"__proto__":{"polluted":true},"metadata":{"__proto__":{"polluted":true}}}');
    const result = applyStrategicPatch<{ metadata?: object }>({ metadata: {} }, patch, pods);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(result.metadata)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
