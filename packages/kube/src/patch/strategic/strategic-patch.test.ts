// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patchSchemaOf } from '../built-in-patch-schema.ts';
import type { PatchSchema } from '../patch-schema.ts';
import { applyStrategicPatch, createStrategicPatch, createThreeWayStrategicPatch } from './strategic-patch.ts';

function schemaOf(apiVersion: string, kind: string): PatchSchema {
  const schema = patchSchemaOf(apiVersion, kind);
  if (!schema) throw new Error(`no schema for ${kind}`);
  return schema;
}
const pods = schemaOf('v1', 'Pod');
const deployments = schemaOf('apps/v1', 'Deployment');
const services = schemaOf('v1', 'Service');

const spec = (fields: object) => ({ spec: fields });
const named = (...names: readonly string[]) => names.map((name) => ({ name }));

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

const letters = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const optional = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] });
const byName = <T extends { readonly name: string }>(item: fc.Arbitrary<T>) =>
  fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 5 });
const metadata = optional({
  labels: fc.dictionary(letters, letters),
  finalizers: fc.uniqueArray(letters, { maxLength: 4 }),
});
const container = fc.record(
  {
    name: letters,
    image: letters,
    args: fc.array(letters, { maxLength: 3 }),
    env: byName(fc.record({ name: letters, value: letters }, { requiredKeys: ['name'] })),
    // Twice the same port, for TCP and for UDP, is legal and cannot be told apart by the merge key.
    ports: fc
      .array(fc.record({ containerPort: fc.nat(3), protocol: letters }), { maxLength: 4 })
      .map((ports) => ports.toSorted((a, b) => a.containerPort - b.containerPort)),
  },
  { requiredKeys: ['name'] },
);
const volume = fc.record(
  { name: letters, emptyDir: optional({ medium: letters }), hostPath: optional({ path: letters }) },
  { requiredKeys: ['name'] },
);
const deployment = optional({
  metadata,
  spec: optional({
    replicas: fc.nat(3),
    strategy: optional({ type: letters, rollingUpdate: optional({ maxSurge: fc.nat(2) }) }),
    template: optional({
      metadata,
      spec: optional({ containers: byName(container), volumes: byName(volume), hostname: letters }),
    }),
  }),
});
const plain = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;

describe('a two-way patch', () => {
  test('turns one object into the other, for any two', () => {
    fc.assert(
      fc.property(deployment.map(plain), deployment.map(plain), (before, after) => {
        const patch = createStrategicPatch(before, after, deployments);
        expect(applyStrategicPatch<unknown>(before, patch, deployments)).toEqual(after);
        expect(createStrategicPatch(after, plain(after), deployments)).toEqual({});
      }),
      { numRuns: 500 },
    );
  });

  test('says no more than what differs', () => {
    const before = spec({ containers: [{ name: 'a', image: '1' }, { name: 'b' }, { name: 'c' }], hostname: 'h' });
    const after = spec({ containers: [{ name: 'c' }, { name: 'a', image: '2' }], hostname: 'h' });
    expect(createStrategicPatch(before, after, pods)).toEqual(
      spec({
        containers: [
          { name: 'a', image: '2' },
          { name: 'b', $patch: 'delete' },
        ],
        '$setElementOrder/containers': named('c', 'a'),
      }),
    );
  });

  test('names the keys to retain', () => {
    const before = spec({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } });
    const after = spec({ strategy: { type: 'Recreate' } });
    expect(createStrategicPatch(before, after, deployments)).toEqual(
      spec({ strategy: { type: 'Recreate', rollingUpdate: null, $retainKeys: ['type'] } }),
    );
  });

  test('replaces a list whose items cannot be told apart', () => {
    const ports = (...protocols: readonly string[]) =>
      spec({ ports: protocols.map((protocol) => ({ port: 53, protocol })) });
    const patch = createStrategicPatch(ports('TCP', 'UDP'), ports('UDP', 'TCP'), services);
    expect(applyStrategicPatch<unknown>(ports('TCP', 'UDP'), patch, services)).toEqual(ports('UDP', 'TCP'));
  });
});

describe('a three-way patch', () => {
  test('gives what the user wants where nobody else has changed anything', () => {
    const unique = deployment.map(plain).filter((value) => !hasTwinPorts(value));
    fc.assert(
      fc.property(unique, unique, (original, modified) => {
        const patch = createThreeWayStrategicPatch({ original, modified, current: original }, deployments);
        expect(applyStrategicPatch<unknown>(original, patch, deployments)).toEqual(modified);
      }),
      { numRuns: 300 },
    );
  });

  test('keeps what others have added and takes away what the user has dropped', () => {
    const original = spec({ containers: named('app', 'old'), replicas: 2 });
    const modified = spec({ containers: [{ name: 'app', image: '2' }] });
    const current = spec({ containers: named('app', 'old', 'injected'), replicas: 5, byOthers: 1 });
    const patch = createThreeWayStrategicPatch({ original, modified, current }, pods);
    expect(applyStrategicPatch<unknown>(current, patch, pods)).toEqual(
      spec({ containers: [{ name: 'app', image: '2' }, { name: 'injected' }], byOthers: 1 }),
    );
  });

  test('removes values of a set that the user has dropped, and only those', () => {
    const of = (...finalizers: readonly string[]) => ({ metadata: { finalizers } });
    const patch = createThreeWayStrategicPatch(
      { original: of('a', 'b'), modified: of('a'), current: of('b', 'x', 'a') },
      pods,
    );
    expect(applyStrategicPatch<unknown>(of('b', 'x', 'a'), patch, pods)).toEqual(of('x', 'a'));
  });

  test('refuses to overwrite what others have changed, if told so', () => {
    const documents = (image: string) => ({
      original: spec({ containers: [{ name: 'a', image: '1' }] }),
      modified: spec({ containers: [{ name: 'a', image: '2' }] }),
      current: spec({ containers: [{ name: 'a', image }] }),
    });
    const strict = { overwrite: false };
    expect(() => createThreeWayStrategicPatch(documents('3'), pods, strict)).toThrow(
      expect.objectContaining({ code: 'Conflict', message: '/spec/containers/a/image was changed by others too' }),
    );
    expect(createThreeWayStrategicPatch(documents('1'), pods, strict)).toMatchObject({ spec: {} });
    expect(createThreeWayStrategicPatch(documents('3'), pods)).toMatchObject({ spec: {} });
  });
});

function hasTwinPorts(value: unknown): boolean {
  const { spec: outer } = value as { spec?: { template?: { spec?: { containers?: { ports?: object[] }[] } } } };
  return (outer?.template?.spec?.containers ?? []).some(({ ports = [] }) => {
    const numbers = ports.map((port) => (port as { containerPort: number }).containerPort);
    return new Set(numbers).size < numbers.length;
  });
}
