// SPDX-License-Identifier: Apache-2.0
import { keyOf, keyString } from '@operator-parts/kube';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type Thing, thing } from '../testing/things.ts';
import { Store } from './store.ts';

/** Long limits: thousands of runs or real connections on a possibly busy machine. */
vi.setConfig({ testTimeout: 120_000 });

type Write = { readonly do: 'put' | 'delete' | 'recreate'; readonly key: string };

/**
 * What the reflector may do to a store: deliver the next changes, or a view at some version that is interrupted or
 * completes.
 */
type Delivery =
  | { readonly do: 'changes'; readonly count: number }
  | { readonly do: 'view'; readonly at: number; readonly breaksAfter: number };

const write: fc.Arbitrary<Write> = fc.record({
  do: fc.constantFrom<Write['do']>('put', 'put', 'put', 'delete', 'recreate'),
  key: fc.constantFrom('a/one', 'a/two', 'b/one'),
});
const delivery: fc.Arbitrary<Delivery> = fc.oneof(
  fc.record({ do: fc.constant('changes' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ do: fc.constant('view' as const), at: fc.nat(40), breaksAfter: fc.constantFrom(0, 1, 2, 99, 99) }),
);

interface Change {
  readonly version: number;
  readonly deleted: boolean;
  readonly object: Thing;
}

/** The server: every change with its version, and what exists at each version. */
class History {
  readonly changes: Change[] = [];
  #uids = 0;

  constructor(writes: readonly Write[]) {
    for (const { do: what, key } of writes) {
      const held = this.at(this.now).get(key);
      if (held && what !== 'put') this.#push(key, held.metadata?.uid ?? '', true);
      if (what === 'put' && held) this.#push(key, held.metadata?.uid ?? '', false);
      else if (what !== 'delete') this.#push(key, `uid-${this.#uids++}`, false);
    }
  }

  get now(): number {
    return this.changes.length;
  }

  at(version: number): Map<string, Thing> {
    const state = new Map<string, Thing>();
    for (const { object, deleted } of this.changes.slice(0, version)) {
      if (deleted) state.delete(keyString(keyOf(object)));
      else state.set(keyString(keyOf(object)), object);
    }
    return state;
  }

  #push(key: string, uid: string, deleted: boolean): void {
    const version = this.now + 1;
    this.changes.push({ version, deleted, object: thing(key, {}, { uid, resourceVersion: String(version) }) });
  }
}

/** A listener that keeps what it is told and records impossible events. */
class Believer {
  readonly held = new Map<string, Thing>();
  readonly complaints: string[] = [];

  added(key: string, object: Thing): void {
    if (this.held.has(key)) this.complaints.push(`${key} added twice`);
    this.held.set(key, object);
  }

  updated(key: string, before: Thing, after: Thing): void {
    if (this.held.get(key) !== before) this.complaints.push(`${key} updated from what it was not`);
    if (Number(after.metadata?.resourceVersion) <= Number(before.metadata?.resourceVersion)) {
      this.complaints.push(`${key} went back in time`);
    }
    if (before.metadata?.uid !== after.metadata?.uid) this.complaints.push(`${key} changed its UID by an update`);
    this.held.set(key, after);
  }

  removed(key: string, object: Thing): void {
    if (this.held.get(key)?.metadata?.uid !== object.metadata?.uid) this.complaints.push(`${key}: another was removed`);
    this.held.delete(key);
  }
}

/** The reflector: delivers changes and views, and never completes a view that is older than the store. */
class Courier {
  readonly history: History;
  readonly store: Store<Thing>;
  #seen = 0;

  constructor(history: History, store: Store<Thing>) {
    this.history = history;
    this.store = store;
    this.deliver({ do: 'view', at: 0, breaksAfter: 99 });
  }

  deliver(delivery: Delivery): void {
    if (delivery.do === 'changes') this.#changes(delivery.count);
    else this.#view(Math.min(delivery.at, this.history.now), delivery.breaksAfter);
  }

  /** The store contains exactly what existed at its version, if no view is in progress. */
  get truth(): Map<string, Thing> {
    return this.history.at(this.#seen);
  }

  #changes(count: number): void {
    for (const { version, deleted, object } of this.history.changes.slice(this.#seen, this.#seen + count)) {
      if (deleted) this.store.delete(object);
      else this.store.apply(object);
      this.store.progress(String(version));
      this.#seen = version;
    }
  }

  #view(at: number, breaksAfter: number): void {
    const objects = [...this.history.at(at).values()];
    this.store.init();
    for (const object of objects.slice(0, breaksAfter)) this.store.initApply(object);
    if (breaksAfter < objects.length || at < this.#seen) return;
    this.store.initDone(String(at));
    this.#seen = at;
  }
}

describe('store against its model', () => {
  test('whatever changes and views come, broken off, repeated or old, it never goes back and ends up with the truth', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 30 }), fc.array(delivery, { maxLength: 20 }), (writes, deliveries) => {
        const believer = new Believer();
        const store = new Store<Thing>({ listener: believer, onIndexError: () => undefined });
        const courier = new Courier(new History(writes), store);
        for (const each of deliveries) {
          courier.deliver(each);
          expect(new Map(store.entries())).toEqual(believer.held);
        }
        courier.deliver({ do: 'view', at: 99, breaksAfter: 99 });
        expect(new Map(store.entries())).toEqual(courier.truth);
        expect(believer.complaints).toEqual([]);
      }),
      { numRuns: 2500 },
    );
  });

  test('after changes alone it holds exactly what existed at its version', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 30 }), fc.array(fc.integer({ min: 1, max: 4 })), (writes, counts) => {
        const store = new Store<Thing>({ listener: new Believer(), onIndexError: () => undefined });
        const courier = new Courier(new History(writes), store);
        for (const count of counts) {
          courier.deliver({ do: 'changes', count });
          expect(new Map(store.entries())).toEqual(courier.truth);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('an index always holds what a search of the whole store would find', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 30 }), fc.array(delivery, { maxLength: 20 }), (writes, deliveries) => {
        const store = new Store<Thing>({ listener: new Believer(), onIndexError: () => undefined });
        const parity = ({ metadata }: Thing) => [
          String(Number(metadata?.resourceVersion) % 3),
          metadata?.namespace ?? '',
        ];
        store.addIndex('parity', parity);
        const courier = new Courier(new History(writes), store);
        for (const each of deliveries) courier.deliver(each);
        const search = (value: string) =>
          [...store.entries()].filter(([, object]) => parity(object).includes(value)).map(([key]) => key);
        for (const value of ['0', '1', '2', 'a', 'b']) {
          expect([...(store.indexer('parity')?.keys(value) ?? [])].toSorted()).toEqual(search(value).toSorted());
        }
      }),
      { numRuns: 500 },
    );
  });
});
