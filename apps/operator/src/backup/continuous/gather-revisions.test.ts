// SPDX-License-Identifier: Apache-2.0
import type { WatchEvent } from '@operator-parts/etcd';
import { describe, expect, test } from 'vitest';
import { RevisionGatherer } from './gather-revisions.ts';

function event(modRevision: bigint, key: string, bytes = 1): WatchEvent {
  const kv = {
    key: Buffer.from(key),
    createRevision: 1n,
    modRevision,
    version: 1n,
    value: Buffer.alloc(bytes),
    lease: 0n,
  };
  return { type: 'put', kv, prevKv: undefined };
}

const names = (found: ReturnType<RevisionGatherer['push']>) =>
  found.map(({ revision, at, events }) => `${revision} at ${at}: ${events.map(({ kv }) => String(kv.key)).join('')}`);

describe('events of a watch', () => {
  test('are put together by revision, in their order', () => {
    const events = [event(5n, 'a'), event(5n, 'b'), event(6n, 'c')];
    expect(names(new RevisionGatherer().push({ events, isComplete: true }, 1))).toEqual(['5 at 1: ab', '6 at 1: c']);
  });

  test('of a revision that was cut are one when the rest has come', () => {
    const gatherer = new RevisionGatherer();
    const push = (at: number, isComplete: boolean, ...events: readonly WatchEvent[]) =>
      names(gatherer.push({ events, isComplete }, at));
    expect(push(1, false, event(5n, 'a'), event(6n, 'b'))).toEqual(['5 at 1: a']);
    expect(push(2, false, event(6n, 'c'))).toEqual([]);
    expect(push(3, true, event(6n, 'd'), event(7n, 'e'))).toEqual(['6 at 3: bcd', '7 at 3: e']);
    expect(push(4, true)).toEqual([]);
  });

  test('of a revision that is too large are refused before they are all in memory', () => {
    const gatherer = new RevisionGatherer();
    const piece = { events: [event(5n, 'a', 20 * 1024 * 1024)], isComplete: false };
    gatherer.push(piece, 1);
    expect(() => gatherer.push(piece, 2)).toThrow('the changes of revision 5 exceed 32 MiB');
  });

  test('of an unknown kind are refused', () => {
    const odd = { ...event(5n, 'a'), type: 'unrecognised' as const };
    expect(() => new RevisionGatherer().push({ events: [odd], isComplete: true }, 1)).toThrow('unknown type');
  });
});
