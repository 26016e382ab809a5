// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { type Thing, thing } from '../testing/things.ts';
import { listerOf } from './lister.ts';
import { Store, type StoreOptions } from './store.ts';
import { deepFreeze, withoutManagedFields } from './transform.ts';

/** `object('a/one', 5)` is version 5 of an object whose UID follows its name. */
function object(key: string, version: number, extra: Thing['metadata'] = {}): Thing {
  return thing(key, {}, { uid: `uid-${key}`, resourceVersion: String(version), ...extra });
}

function world(options: Partial<StoreOptions<Thing>> = {}) {
  const told: string[] = [];
  const versionOf = (each: Thing) => each.metadata?.resourceVersion;
  const store = new Store<Thing>({
    listener: {
      added: (key, after, initial) => told.push(`+${key}@${versionOf(after)}${initial ? ' initial' : ''}`),
      updated: (key, before, after) => told.push(`~${key}@${versionOf(before)}>${versionOf(after)}`),
      removed: (key, last, how) =>
        told.push(
          `-${key}@${versionOf(last)}${how.finalStateUnknown ? ' unknown' : ''}${how.mayStillExist ? ' maybe' : ''}`,
        ),
    },
    onIndexError: (index, error) => told.push(`!${index}: ${String(error)}`),
    ...options,
  });
  const sync = (version: number, ...objects: readonly Thing[]) => {
    store.init();
    for (const each of objects) store.initApply(each);
    store.initDone(String(version));
  };
  return { store, told, sync, lister: listerOf(store) };
}

describe('store', () => {
  test('tells of additions, updates and removals, in order, after they took place', () => {
    const { store, told, sync, lister } = world();
    sync(3, object('a/one', 2));
    store.apply(object('a/two', 4));
    store.apply(object('a/one', 5));
    store.delete(object('a/two', 6));
    expect(told).toEqual(['+a/one@2 initial', '+a/two@4', '~a/one@2>5', '-a/two@6']);
    expect(lister.list().map(({ metadata }) => metadata?.resourceVersion)).toEqual(['5']);
  });

  test('fault R1: a missed deletion is reported with the last known state, marked as such', () => {
    const { told, sync } = world();
    sync(3, object('a/one', 2), object('a/two', 3));
    sync(9, object('a/one', 2));
    expect(told.slice(2)).toEqual(['-a/two@3 unknown']);
  });

  test('fault R1: nothing of a new view is delivered before it is complete', () => {
    const { store, told, sync } = world();
    sync(3, object('a/one', 2));
    store.init();
    store.initApply(object('a/two', 5));
    expect(told.slice(1)).toEqual([]);
    store.init();
    store.initApply(object('a/two', 5));
    store.initDone('6');
    expect(told.slice(1)).toEqual(['+a/two@5 initial', '-a/one@2 unknown']);
  });

  test('fault R14: the same name with a new UID is a removal and an addition, never an update', () => {
    const { store, told, sync, lister } = world();
    sync(3, object('a/one', 2));
    store.apply(object('a/one', 5, { uid: 'another' }));
    expect(told.slice(1)).toEqual(['-a/one@2 unknown', '+a/one@5']);
    expect(lister.get('a/one')?.metadata?.uid).toBe('another');
    store.delete(object('a/one', 6));
    expect(lister.size).toBe(1);
  });

  test('fault R6: what is older than what is held is not taken', () => {
    const { store, told, sync } = world();
    sync(10, object('a/one', 9));
    store.apply(object('a/one', 8));
    store.apply(object('a/one', 3, { uid: 'an earlier one' }));
    store.delete(object('a/one', 7));
    expect(told).toEqual(['+a/one@9 initial']);
  });

  test('fault R6: what was deleted does not come back by an older view', () => {
    const { store, told, sync } = world();
    sync(5, object('a/one', 4));
    store.delete(object('a/one', 8));
    store.progress('8');
    store.init();
    store.initApply(object('a/one', 4));
    expect(told.slice(1)).toEqual(['-a/one@8']);
  });

  test('fault R6: versions beyond 2^53 and of different length are ordered as decimals', () => {
    const { store, told, sync } = world();
    sync(1, object('a/one', 0, { resourceVersion: '9007199254740993' }));
    store.apply(object('a/one', 0, { resourceVersion: '9007199254740992' }));
    store.apply(object('a/one', 0, { resourceVersion: '10000000000000000' }));
    expect(told).toEqual(['+a/one@9007199254740993 initial', '~a/one@9007199254740993>10000000000000000']);
  });

  test('versions that cannot be ordered are taken as they come', () => {
    const { store, told, sync } = world();
    sync(1, object('a/one', 0, { resourceVersion: 'zebra' }));
    store.apply(object('a/one', 0, { resourceVersion: 'apple' }));
    expect(told).toEqual(['+a/one@zebra initial', '~a/one@zebra>apple']);
  });

  test('a complete view wins wherever it differs, and reports that the data was replaced if it is older than what was held', () => {
    let replaced = 0;
    const { told, sync } = world();
    const other = world({
      listener: {
        added: () => undefined,
        updated: () => undefined,
        removed: () => undefined,
        replaced: () => replaced++,
      },
    });
    sync(9, object('a/one', 8), object('a/two', 3));
    sync(100, object('a/one', 5), object('a/three', 4));
    expect(told.slice(2)).toEqual(['~a/one@8>5', '+a/three@4 initial', '-a/two@3 unknown maybe']);
    other.sync(9, object('a/one', 8), object('a/two', 3));
    other.sync(20, object('a/one', 8), object('a/three', 15));
    expect(replaced).toBe(0);
    other.sync(100, object('a/one', 8), object('a/four', 14));
    expect(replaced).toBe(1);
  });

  test('after data was replaced, the same version of the same object may have another content', () => {
    const { told, store, sync, lister } = world();
    sync(9, object('a/one', 8), object('a/two', 7));
    store.init(true);
    store.initApply({ ...object('a/one', 8), spec: { size: 5 } });
    store.initApply(object('a/two', 7));
    store.initDone('8', true);
    expect(told.slice(2)).toEqual(['~a/one@8>8']);
    expect(lister.get('a/one')?.spec).toEqual({ size: 5 });
  });

  test('the same version again is no news', () => {
    const { store, told, sync } = world();
    sync(3, object('a/one', 2));
    store.apply(object('a/one', 2));
    sync(4, object('a/one', 2));
    expect(told).toEqual(['+a/one@2 initial']);
  });

  test('fault R22: a conversion that changes the apiVersion is an update of the same object', () => {
    const { store, told, sync, lister } = world();
    sync(3, object('a/one', 2));
    store.apply({ ...object('a/one', 2), apiVersion: 'lab.example/v2' });
    expect(told.slice(1)).toEqual(['~a/one@2>2']);
    expect(lister.size).toBe(1);
  });

  test('fault R24: an object that leaves a selection may still exist, and the removal says so', () => {
    const { store, told, sync } = world({ selective: true });
    sync(3, object('a/one', 2), object('a/two', 3));
    store.delete(object('a/one', 5));
    sync(9);
    expect(told.slice(2)).toEqual(['-a/one@5 maybe', '-a/two@3 unknown maybe']);
  });

  test('deletions of what is not held are no news', () => {
    const { store, told, sync } = world();
    sync(3);
    store.delete(object('a/one', 5));
    expect(told).toEqual([]);
  });

  test('a deletion in the middle of a complete view counts', () => {
    const { store, told, sync } = world();
    sync(3, object('a/one', 2));
    store.init();
    store.initApply(object('a/one', 2));
    store.delete(object('a/one', 6));
    store.initDone('6');
    expect(told.slice(1)).toEqual(['-a/one@6']);
  });

  test('finds by name, namespace, labels and index', () => {
    const { store, sync, lister } = world();
    store.addIndex('node', ({ metadata }) => [metadata?.annotations?.['node'] ?? 'none']);
    sync(
      9,
      object('a/one', 1, { labels: { app: 'x', tier: '1' }, annotations: { node: 'n1' } }),
      object('a/two', 2, { labels: { app: 'x' } }),
      object('b/one', 3, { labels: { app: 'y' }, annotations: { node: 'n1' } }),
    );
    const names = (list: readonly Thing[]) => list.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
    expect(names(lister.list())).toEqual(['a/one', 'a/two', 'b/one']);
    expect(names(lister.list({ namespace: 'a' }))).toEqual(['a/one', 'a/two']);
    expect(names(lister.list({ namespace: 'none' }))).toEqual([]);
    expect(names(lister.list({ labels: { app: 'x' } }))).toEqual(['a/one', 'a/two']);
    expect(names(lister.list({ namespace: 'a', labels: { app: 'x', tier: '1' } }))).toEqual(['a/one']);
    expect(names(lister.byIndex('node', 'n1'))).toEqual(['a/one', 'b/one']);
    expect(lister.get({ namespace: 'b', name: 'one' })?.metadata?.resourceVersion).toBe('3');
    expect(lister.get('b/none')).toBeUndefined();
    expect(() => lister.byIndex('absent', 'x')).toThrow(/the index absent does not exist/);
  });

  test('an index follows changes and removals, and can be added to a filled store', () => {
    const { store, sync, lister } = world();
    sync(9, object('a/one', 1, { labels: { v: '1' } }), object('a/two', 2, { labels: { v: '1' } }));
    store.addIndex('v', ({ metadata }) => [metadata?.labels?.['v'] ?? '']);
    expect(lister.byIndex('v', '1')).toHaveLength(2);
    store.apply(object('a/one', 10, { labels: { v: '2' } }));
    store.delete(object('a/two', 11));
    expect(lister.byIndex('v', '1')).toEqual([]);
    expect(lister.byIndex('v', '2')).toHaveLength(1);
    expect([...(store.indexer('v')?.values() ?? [])]).toEqual(['2']);
    expect(() => store.addIndex('v', () => [])).toThrow(/already/);
  });

  test('an index function that throws leaves its object out and does not affect the store', () => {
    const { store, told, sync, lister } = world();
    store.addIndex('bad', ({ metadata }) => {
      if (metadata?.name === 'one') throw new Error('cannot');
      return ['all'];
    });
    sync(9, object('a/one', 1), object('a/two', 2));
    expect(lister.byIndex('bad', 'all')).toHaveLength(1);
    expect(lister.size).toBe(2);
    expect(told).toContain('!bad: Error: cannot');
  });

  test('a transform that throws keeps the object as it came', () => {
    const { lister, sync } = world({
      transform: () => {
        throw new Error('cannot');
      },
    });
    sync(3, object('a/one', 2));
    expect(lister.get('a/one')?.metadata?.resourceVersion).toBe('2');
  });
});

describe('what is kept of an object', () => {
  test('managedFields is dropped, the rest stays as the server sent it, and the argument is not modified', () => {
    const full = { ...object('a/one', 1, { managedFields: [{ manager: 'x' }] }), unknown: { deep: [1] } };
    const kept = withoutManagedFields(full);
    expect(JSON.parse(JSON.stringify(kept))).toEqual({ ...object('a/one', 1), unknown: { deep: [1] } });
    expect(full.metadata?.managedFields).toHaveLength(1);
    const bare = object('a/one', 1);
    expect(withoutManagedFields(bare)).toBe(bare);
  });

  test('what is frozen refuses every change, at any depth', () => {
    const frozen = deepFreeze({ metadata: { labels: { a: '1' } }, list: [{ x: 1 }] });
    expect(() => Object.assign(frozen.metadata.labels, { b: '2' })).toThrow(TypeError);
    expect(() => Object.assign(frozen.list[0] ?? {}, { x: 2 })).toThrow(TypeError);
  });
});
