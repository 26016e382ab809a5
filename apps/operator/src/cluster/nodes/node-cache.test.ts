// SPDX-License-Identifier: Apache-2.0
import type { InformerStatus } from '@operator-parts/controller-runtime';
import type { Node } from '@operator-parts/kube';
import { VirtualClock } from '@operator-parts/ports';
import { beforeEach, describe, expect, test } from 'vitest';
import { NodeCache, type ReadableNodes } from './node-cache.ts';

let clock: VirtualClock;
let cache: NodeCache;
let there: Map<string, Node>;
let phase: InformerStatus['phase'];

/** A cache of nodes with the content that the test sets. */
const informer = (): ReadableNodes => ({
  lister: { get: ({ name }) => there.get(name) },
  get status() {
    return { phase };
  },
});

beforeEach(() => {
  clock = new VirtualClock();
  cache = new NodeCache(clock);
  there = new Map([['a', { metadata: { name: 'a' } }]]);
  phase = 'live';
});

/** Asks every 10 s, as a reconciler does. */
async function ask(name: string, seconds: number): Promise<boolean> {
  for (let passed = 0; passed < seconds; passed += 10) {
    cache.isAbsent(name);
    await clock.advance(10_000);
  }
  return cache.isAbsent(name);
}

describe('nodes', () => {
  test('that cannot be read are unknown: neither there nor absent', async () => {
    expect(cache.get('a')).toBeUndefined();
    expect(await ask('gone', 600)).toBe(false);
  });

  test('that can be read are known, and one that is gone is known to be absent after 30 s', async () => {
    cache.open(informer());
    expect(cache.get('a')?.metadata?.name).toBe('a');
    expect(await ask('a', 600)).toBe(false);
    expect(await ask('gone', 20)).toBe(false);
    expect(await ask('gone', 10)).toBe(true);
  });

  test('a new one is not taken for absent because its pod was seen first', async () => {
    cache.open(informer());
    expect(await ask('new', 20)).toBe(false);
    there.set('new', { metadata: { name: 'new' } });
    expect(await ask('new', 10)).toBe(false);
    // If the node disappears again, the time starts again.
    there.delete('new');
    expect(await ask('new', 20)).toBe(false);
    expect(await ask('new', 10)).toBe(true);
  });

  test('are unknown again while the cache is cut off, and the time starts again after that', async () => {
    cache.open(informer());
    expect(await ask('gone', 30)).toBe(true);
    phase = 'stale';
    expect(cache.get('a')).toBeUndefined();
    expect(cache.isAbsent('gone')).toBe(false);
    phase = 'live';
    expect(await ask('gone', 20)).toBe(false);
  });

  test('that was not asked for in a while says nothing of what was in between', async () => {
    cache.open(informer());
    cache.isAbsent('gone');
    await clock.advance(60_001);
    expect(cache.isAbsent('gone')).toBe(false);
  });
});
