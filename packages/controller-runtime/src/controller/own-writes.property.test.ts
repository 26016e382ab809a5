// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '@operator-parts/kube';
import { seededRandom, VirtualClock } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createManager } from '../manager/manager.ts';
import { ScriptedClient } from '../testing/scripted-client.ts';
import { part, parts, thing, things } from '../testing/things.ts';
import { buildController } from './builder.ts';
import { setControllerReference } from './owner-reference.ts';
import { done } from './result.ts';

/** Long limits: thousands of runs or real connections on a possibly busy machine. */
vi.setConfig({ testTimeout: 120_000 });

type Step =
  | 'poke one'
  | 'poke two'
  | 'stallWatches'
  | 'cut'
  | 'end'
  | 'bookmark'
  | 'refuse'
  | 'compact'
  | 'blink'
  | 'rest'
  | 'long rest';

const step = fc.constantFrom<Step>(
  'poke one',
  'poke one',
  'poke two',
  'stallWatches',
  'cut',
  'end',
  'bookmark',
  'refuse',
  'compact',
  'blink',
  'rest',
  'long rest',
);

/**
 * A controller that creates a part with a new name whenever it sees none: it creates two if it decides on an outdated
 * cache.
 */
function careless(seed: number) {
  const clock = new VirtualClock();
  const client = new ScriptedClient(clock);
  const manager = createManager({ client, clock, random: seededRandom(seed), freeze: true });
  const cached = manager.informer(things);
  const owned = manager.informer(parts);
  owned.addIndex('owner', ({ metadata }) => metadata?.ownerReferences?.map(({ name }) => name) ?? []);
  let made = 0;
  buildController(manager, { name: 'careless', concurrency: 2 })
    .forKind(things)
    .owns(parts)
    .complete(async (request, context) => {
      const owner = cached.lister.get(request);
      if (owner && owned.lister.byIndex('owner', request.name).length === 0) {
        await context.client.resource(parts).create(setControllerReference(part(`a/part-${made++}`), owner, things));
      }
      return done();
    });
  return { clock, client, manager };
}

async function act({ clock, client }: ReturnType<typeof careless>, what: Step): Promise<void> {
  const watched = client.kind(parts);
  const actions: Readonly<Record<Step, () => unknown>> = {
    'poke one': () => client.kind(things).put(thing('a/one')),
    'poke two': () => client.kind(things).put(thing('a/two')),
    stallWatches: () => watched.disturb((stream) => Object.assign(stream, { stalled: true })),
    cut: () => watched.disturb((stream) => stream.fail(new KubeError('ConnectionLost', 'cut'))),
    end: () => watched.disturb((stream) => stream.end()),
    bookmark: () => watched.bookmark(),
    refuse: () => watched.fail('watch', () => new KubeError('ConnectionRefused', 'down'), 2),
    compact: () => watched.compact(),
    blink: () => clock.advance(1),
    rest: () => clock.advance(1000),
    'long rest': () => clock.advance(30_000),
  };
  await actions[what]();
}

describe('read your own writes, whatever happens to the watch', () => {
  test('fault R7: every thing ends up with exactly one part', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat(1000), async (steps, seed) => {
        const world = careless(seed);
        const stop = new AbortController();
        const ended = world.manager.run(stop.signal);
        await world.clock.advance(10);
        for (const each of steps) await act(world, each);
        await world.clock.advance(300_000);
        const owners = [...world.client.kind(parts).objects().values()].map(
          ({ metadata }) => metadata?.ownerReferences?.[0]?.name ?? '',
        );
        const names = [...world.client.kind(things).objects().values()].map(({ metadata }) => metadata?.name ?? '');
        expect(owners.toSorted()).toEqual(names.toSorted());
        stop.abort();
        await world.clock.advance(0);
        await ended;
        expect(world.clock.pendingTimers).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
