// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { controllerWorld as world } from '../testing/controller-world.ts';
import { part, parts, thing, things } from '../testing/things.ts';
import { buildController } from './builder.ts';
import { setControllerReference } from './owner-reference.ts';
import { generationChanged } from './predicate.ts';
import { done } from './result.ts';

describe('controller builder', () => {
  test('owned objects lead to their owner, by the controller reference alone', async () => {
    const { clock, client, seen, note, start } = world();
    const owner = client.kind(things).put(thing('a/one'));
    start(
      async (request) => {
        note(request);
        return done();
      },
      {},
      (builder) => builder.owns(parts),
    );
    await clock.advance(10);
    client.kind(parts).put(setControllerReference(part('a/p'), owner, things));
    client.kind(parts).put(part('a/stranger'));
    client.kind(parts).put(
      part('a/foreign', {
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Thing', name: 'one', uid: 'x', controller: true }],
      }),
    );
    await clock.advance(10);
    client.kind(parts).remove('a/p');
    await clock.advance(10);
    expect(seen).toEqual(['one@0', 'one@10', 'one@20']);
  });

  test('watched objects lead to what they are mapped to, before and after a change', async () => {
    const { clock, client, seen, start } = world();
    start(
      async ({ name }) => {
        seen.push(name);
        return done();
      },
      {},
      (builder) =>
        builder.watches(parts, ({ metadata }) => [{ namespace: 'a', name: metadata?.labels?.['for'] ?? 'none' }]),
    );
    client.kind(parts).put(part('a/p', { labels: { for: 'x' } }));
    await clock.advance(10);
    client.kind(parts).put(part('a/p', { labels: { for: 'y' } }));
    await clock.advance(10);
    expect(seen).toEqual(['x', 'y', 'x']);
  });

  test('predicates decide which events count; a resync does not ask them', async () => {
    const { clock, client, seen, note, manager, stop } = world();
    buildController(manager, { name: 'things' })
      .forKind(things, { predicate: generationChanged, resyncPeriod: 60_000 })
      .withPredicate({ removed: () => false })
      .complete(async (request) => {
        note(request);
        return done();
      });
    void manager.run(stop.signal);
    client.kind(things).put(thing('a/one', {}, { generation: 1 }));
    await clock.advance(10);
    client.kind(things).put(thing('a/one', {}, { generation: 1, labels: { x: 'y' } }));
    await clock.advance(10);
    client.kind(things).put(thing('a/one', {}, { generation: 2 }));
    await clock.advance(10);
    expect(seen).toEqual(['one@0', 'one@20']);
    await clock.advance(60_000);
    expect(seen).toHaveLength(3);
    client.kind(things).remove('a/one');
    await clock.advance(10);
    expect(seen).toHaveLength(3);
  });

  test('mistakes in building are reported together, by name', () => {
    const { manager } = world();
    expect(() =>
      buildController(manager, { name: 'x' })
        .owns(parts)
        .complete(async () => done()),
    ).toThrow('controller x cannot be built: forKind was not called');
    expect(() =>
      buildController(manager, { name: 'y' })
        .forKind(things)
        .forKind(parts)
        .complete(async () => done()),
    ).toThrow('forKind was called twice');
  });
});
