// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Store } from '../storage/store.ts';
import { OwnerGraph } from './owner-graph.ts';

const uids = ['u1', 'u2', 'u3', 'u4'] as const;
const changes = fc.array(
  fc.record({ uid: fc.constantFrom(...uids), owners: fc.option(fc.uniqueArray(fc.constantFrom(...uids))) }),
  { maxLength: 30 },
);

/** Writes an object with these owners, or removes it. */
function write(store: Store, uid: string, owners: readonly string[] | null): void {
  const present = store.get('things', uid);
  const object = { metadata: { uid, ownerReferences: (owners ?? []).map((owner) => ({ uid: owner })) } };
  if (owners === null) {
    if (present) store.delete('things', present);
  } else if (present) store.update('things', present, object);
  else store.create('things', uid, object);
}

test('the graph knows at all times who names whom as an owner', () => {
  fc.assert(
    fc.property(changes, (all) => {
      const store = new Store({ clock: { monotonic: () => 0 } });
      const graph = new OwnerGraph();
      store.watchAll((change) => graph.apply(change));
      const model = new Map<string, readonly string[]>();
      for (const { uid, owners } of all) {
        write(store, uid, owners);
        model.set(uid, owners ?? []);
        for (const owner of uids) {
          const found = graph.dependentsOf(owner).map(({ key }) => key);
          const expected = [...model].filter(([, named]) => named.includes(owner)).map(([dependent]) => dependent);
          expect(found.sort()).toEqual(expected.sort());
        }
      }
    }),
  );
});
