// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import type { InformerSelection } from '../informer/informer.ts';
import { controllerWorld as world } from '../testing/controller-world.ts';
import { part, parts, thing, things } from '../testing/things.ts';
import { done } from './result.ts';

describe('read your own writes', () => {
  test('fault R7: a reconcile waits until the cache has seen the last write of its request, and no other request waits', async () => {
    const { clock, client, manager, seen, start, metric } = world();
    const owned = manager.informer(parts);
    client.kind(things).put(thing('a/one'));
    start(
      async ({ name }, context) => {
        const present = owned.lister.get(`a/${name}-part`) !== undefined;
        seen.push(`${name} sees part: ${present}`);
        if (!present) await context.client.resource(parts).create(part(`a/${name}-part`));
        return done();
      },
      {},
      (builder) => builder.owns(parts),
    );
    // The watch of parts lags: writes appear in the cache later.
    await clock.advance(0);
    client.kind(parts).disturb((stream) => {
      stream.stalled = true;
    });
    client.kind(things).put(thing('a/two'));
    await clock.advance(10);
    client.kind(things).put(thing('a/two'));
    await clock.advance(10);
    client.kind(things).put(thing('a/other'));
    await clock.advance(10);
    expect(seen).toEqual(['one sees part: false', 'two sees part: false', 'other sees part: false']);
    expect(metric('controller_runtime_reconciles_held_back_total\\{controller="things"\\}')).toBe(1);
    await clock.advance(95_000);
    expect(seen).toContain('two sees part: true');
    expect(client.writes.filter(({ key }) => key === 'a/two-part')).toHaveLength(1);
  });

  test('fault R7: a write is seen as soon as the cache has it: the reconcile it held back runs in the same moment', async () => {
    const { clock, client, seen, note, start } = world();
    client.kind(things).put(thing('a/one'));
    let writes = 0;
    start(async (request, context) => {
      note(request);
      if (writes++ === 0)
        await context.client.resource(things).status.patch(request, { type: 'merge', patch: { status: {} } });
      return done();
    });
    await clock.advance(100);
    expect(seen).toEqual(['one@0', 'one@0']);
  });

  test('fault R7: deletions count too, whatever the server answers', async () => {
    const { clock, client, manager, seen, start } = world();
    const owned = manager.informer(parts);
    client.kind(parts).put(part('a/p'));
    client.kind(things).put(thing('a/one'));
    start(async (_, context) => {
      const held = owned.lister.get('a/p');
      seen.push(held ? 'there' : 'gone');
      if (held) await context.client.resource(parts).delete({ namespace: 'a', name: 'p' });
      return done();
    });
    await clock.advance(0);
    client.kind(things).put(thing('a/one'));
    await clock.advance(100);
    expect(seen).toEqual(['there', 'gone']);
  });

  /** A controller that writes a part when the test says so, with a cache that does not show it yet. */
  function hiddenWrite(selection: InformerSelection = { fieldSelector: 'spec.never=matches' }) {
    const hidden = world();
    const { client, manager, clock, note, start } = hidden;
    const kind = client.kind(parts);
    const watch = kind.watch.bind(kind);
    kind.watch = async function* (options) {
      for await (const event of watch(options)) if (event.type === 'BOOKMARK') yield event;
    };
    manager.informer(parts, selection);
    client.kind(things).put(thing('a/one'));
    let due = true;
    start(async (request, context) => {
      note(request);
      if (due) await context.client.resource(parts).create(part('a/p'));
      due = false;
      return done();
    });
    const poke = async () => {
      client.kind(things).put(thing('a/one'));
      await clock.advance(10);
    };
    return { ...hidden, kind, poke };
  }

  test('fault R7: a write that a cache will never hear of, because it selects other labels, is not waited for', async () => {
    const { clock, seen, poke } = hiddenWrite({ labelSelector: 'never=matches' });
    await clock.advance(10);
    await poke();
    expect(seen).toEqual(['one@0', 'one@10']);
  });

  test('fault R7: a write that the selection of a cache hides is seen by the next bookmark', async () => {
    const { clock, seen, poke } = hiddenWrite();
    await clock.advance(10);
    await poke();
    expect(seen).toEqual(['one@0']);
    await clock.advance(60_000);
    expect(seen).toHaveLength(2);
    await poke();
    expect(seen).toHaveLength(3);
  });

  test('fault R7: while the cache is cut off the reconcile waits on, however long', async () => {
    const { clock, kind, seen, poke } = hiddenWrite();
    await clock.advance(10);
    kind.fail('watch', () => new KubeError('ConnectionRefused', 'gone'), 1000);
    kind.disturb((stream) => stream.fail(new KubeError('ConnectionLost', 'cut')));
    await poke();
    await clock.advance(1_800_000);
    expect(seen).toEqual(['one@0']);
  });

  test('fault R7: a write that a live cache never shows is waited for two minutes at most, and the log says so', async () => {
    const { clock, kind, seen, lines, poke } = hiddenWrite();
    kind.bookmarkPeriod = 0;
    await clock.advance(6000);
    await poke();
    // Without bookmarks, only the end of the watch shows that the server is alive.
    const endWatches = async (times: number) => {
      for (let count = 0; count < times; count++) {
        kind.disturb((stream) => stream.end());
        await clock.advance(17_000);
      }
    };
    await endWatches(6);
    expect(seen).toEqual(['one@0']);
    await endWatches(5);
    expect(seen).toHaveLength(2);
    expect(lines.find(({ message }) => message.startsWith('the cache still does not contain'))?.fields).toMatchObject({
      object: 'Thing a/one',
      resource: 'parts',
    });
  });
});
