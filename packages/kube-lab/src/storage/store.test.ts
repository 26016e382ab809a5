// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import { Store } from './store.ts';
import { StoreError } from './store-error.ts';
import type { Change } from './stored-object.ts';

const clock = { monotonic: () => 0 };
const collection = 'things';
const keys = ['a/x', 'a/y', 'b/x', 'b/z'] as const;

type Step =
  | { readonly do: 'create' | 'update'; readonly key: string; readonly value: number }
  | { readonly do: 'delete'; readonly key: string };

const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constantFrom('create' as const, 'update' as const),
      key: fc.constantFrom(...keys),
      value: fc.nat(9),
    }),
    fc.record({ do: fc.constant('delete' as const), key: fc.constantFrom(...keys) }),
  ),
  { maxLength: 30 },
);

/** The content of a store as plain data: values by key. */
type Picture = Readonly<Record<string, number>>;

const pictureOf = (items: readonly { readonly key: string; readonly object: object }[]): Picture =>
  Object.fromEntries(items.map(({ key, object }) => [key, (object as { value: number }).value]));

const objectOf = (value: number) => ({ metadata: {}, value });

/** Runs a step if possible; the model decides whether it should have been possible. */
function carryOut(store: Store, step: Step): boolean {
  const present = store.get(collection, step.key);
  try {
    if (step.do === 'create') store.create(collection, step.key, objectOf(step.value));
    else if (!present) return false;
    else if (step.do === 'update') store.update(collection, present, objectOf(step.value));
    else store.delete(collection, present);
    return true;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return false;
  }
}

function next(picture: Picture, step: Step): Picture {
  if (step.do !== 'delete') return { ...picture, [step.key]: step.value };
  const { [step.key]: _gone, ...rest } = picture;
  return rest;
}

/** Runs steps and returns what the store should have contained at each of its versions. */
function run(store: Store, all: readonly Step[]): Map<number, Picture> {
  const pictures = new Map<number, Picture>([[store.revision, {}]]);
  let picture: Picture = {};
  for (const step of all) {
    const isPossible = step.do === 'create' ? picture[step.key] === undefined : picture[step.key] !== undefined;
    expect(carryOut(store, step)).toBe(isPossible);
    if (isPossible) picture = next(picture, step);
    pictures.set(store.revision, picture);
  }
  return pictures;
}

describe('the store', () => {
  test('shows every version as it was, in order of keys', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const store = new Store({ clock });
        for (const [revision, picture] of run(store, all)) {
          const items = store.listAt(collection, revision);
          expect(pictureOf(items)).toEqual(picture);
          expect(items.map(({ key }) => key)).toEqual(Object.keys(picture).sort());
          for (const key of keys) {
            const value = store.getAt(collection, revision, key)?.object['value'];
            expect(value).toBe(picture[key]);
          }
          const own = Object.keys(picture).filter((key) => key.startsWith('a/'));
          expect(store.listAt(collection, revision, 'a/').map(({ key }) => key)).toEqual(own.sort());
        }
      }),
    );
  });

  test('a watch from any version leads to the present, one version after the other', () => {
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const store = new Store({ clock });
        const pictures = run(store, before);
        const watches = [...pictures].map(([revision, picture]) => {
          const seen: Change[] = [];
          const stop = store.watch(collection, revision, (change) => seen.push(change));
          return { seen, stop, picture };
        });
        for (const step of after) carryOut(store, step);
        for (const { seen, stop, picture } of watches) {
          const reached = seen.reduce<Picture>((at, { type, current }) => {
            const value = (current.object as { value?: number }).value ?? 0;
            return next(
              at,
              type === 'DELETED' ? { do: 'delete', key: current.key } : { do: 'update', key: current.key, value },
            );
          }, picture);
          expect(reached).toEqual(pictureOf(store.list(collection)));
          const versions = seen.map(({ revision }) => revision);
          expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
          stop();
        }
      }),
    );
  });

  test('what is compacted can be neither read nor watched from, and everything later can', () => {
    fc.assert(
      fc.property(steps, fc.nat(40), (all, cut) => {
        const store = new Store({ clock });
        const pictures = [...run(store, all)];
        store.compact(cut);
        const [kept, gone] = [
          pictures.filter(([revision]) => revision >= store.compacted),
          pictures.filter(([revision]) => revision < store.compacted && revision !== store.revision),
        ];
        for (const [revision, picture] of kept) {
          expect(pictureOf(store.listAt(collection, revision))).toEqual(picture);
        }
        for (const [revision] of gone) {
          expect(() => store.listAt(collection, revision)).toThrow(expect.objectContaining({ code: 'Compacted' }));
          expect(() => store.watch(collection, revision, () => undefined)).toThrow('compacted');
        }
      }),
    );
  });

  test('keeps as much history as it is told', () => {
    const store = new Store({ clock, historyLimit: 3 });
    for (let value = 0; value < 10; value++) store.create(collection, `a/${value}`, objectOf(value));
    expect(store.compacted).toBe(store.revision - 3);
    expect(() => store.listAt(collection, store.revision + 1)).toThrow(
      expect.objectContaining({ code: 'FutureRevision' }),
    );
  });

  test('tells changes in order also when a listener writes', () => {
    const store = new Store({ clock });
    const seen: string[] = [];
    store.watch(collection, store.revision, ({ type, current }) => {
      if (type === 'ADDED' && current.key === 'a/x') store.create(collection, 'a/y', objectOf(1));
    });
    store.watch(collection, store.revision, ({ current }) => seen.push(current.key));
    store.create(collection, 'a/x', objectOf(0));
    expect(seen).toEqual(['a/x', 'a/y']);
  });

  test('what it hands out cannot be changed', () => {
    const store = new Store({ clock });
    const { object } = store.create(collection, 'a/x', { metadata: { labels: { a: 'b' } } });
    expect(() => Object.assign(object['metadata'] as object, { name: 'x' })).toThrow(TypeError);
  });
});

test('a token of a page comes back as it was, and nothing else is one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.string({ minLength: 1 }), (revision, after) => {
      const clean = after.replaceAll('\u0000', '') || 'x';
      expect(decodeContinue(encodeContinue({ revision, after: clean }))).toEqual({ revision, after: clean });
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => decodeContinue(text)).toThrow('continue key is not valid');
    }),
  );
});
