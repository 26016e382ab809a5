// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { stallWatches, reflectorWorld as world } from '../testing/reflector-world.ts';
import type { ScriptedKind } from '../testing/scripted-kind.ts';
import { type Thing, thing } from '../testing/things.ts';

describe('reflector', () => {
  test('a streaming list and its watch are one request', async () => {
    const { clock, kind, informer, told, operations } = world();
    kind.put(thing('a/one'));
    await clock.advance(10);
    kind.put(thing('a/one'));
    kind.remove('a/one');
    await clock.advance(10);
    expect(told).toEqual(['+one@2', '~one@2>one@3', '-one@4']);
    expect(operations()).toEqual(['stream']);
    expect(informer.status.phase).toBe('live');
  });

  test('a server without streaming lists is listed page by page, and asked for a stream once only', async () => {
    const { clock, kind, operations, names } = world({ pageSize: 2 });
    kind.streaming = false;
    for (const name of ['one', 'two', 'three', 'four', 'five']) kind.put(thing(`a/${name}`));
    await clock.advance(10);
    expect(names()).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(operations()).toEqual(['stream', 'list', 'next page', 'next page', 'watch']);
    kind.compact();
    kind.put(thing('a/six'));
    kind.compact();
    kind.disturb((stream) => stream.fail(new KubeError('Gone', 'expired', { httpStatus: 410 })));
    await clock.advance(2000);
    expect(operations().filter((operation) => operation === 'stream')).toHaveLength(1);
    expect(names()).toHaveLength(6);
  });

  test('fault R1: a delete missed while disconnected is delivered with the last known object', async () => {
    const { clock, kind, told } = world();
    kind.put(thing('a/one'));
    await clock.advance(10);
    stallWatches(kind);
    kind.remove('a/one');
    kind.put(thing('a/two'));
    kind.compact();
    await clock.advance(93_000);
    expect(told).toEqual(['+one@2', '+two@4', '-one@2 unknown']);
  });

  test('fault R2: 410 Gone, as a status or as an event in the stream, leads to a new list while the old cache serves', async () => {
    for (const code of ['Gone', 'Expired'] as const) {
      const { clock, kind, names, told, operations } = world();
      kind.put(thing('a/one'));
      await clock.advance(10_000);
      stallWatches(kind);
      kind.put(thing('a/two'));
      kind.disturb((stream) => {
        stream.stalled = false;
        stream.fail(new KubeError(code, 'too old resource version', { httpStatus: 410 }));
      });
      expect(names()).toEqual(['one']);
      await clock.advance(10);
      expect(names()).toEqual(['one', 'two']);
      expect(told).toEqual(['+one@2', '+two@3']);
      expect(operations()).toEqual(['stream', 'stream']);
      kind.disturb((stream) => stream.end());
      kind.fail('watch', () => new KubeError(code, 'too old', { httpStatus: 410 }));
      await clock.advance(3000);
      expect(names()).toEqual(['one', 'two']);
    }
  });

  test('fault R3: "too large resource version" is tried again and fails nothing', async () => {
    const { clock, kind, names, problems } = world();
    const tooLarge = () =>
      new KubeError('Timeout', 'Too large resource version', {
        httpStatus: 504,
        status: { details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 } },
      });
    kind.put(thing('a/one'));
    kind.fail('watch', tooLarge, 2);
    await clock.advance(10_000);
    expect(names()).toEqual(['one']);
    kind.fail('watch', tooLarge, 2);
    kind.disturb((stream) => stream.end());
    kind.put(thing('a/two'));
    await clock.advance(20_000);
    expect(names()).toEqual(['one', 'two']);
    expect(problems('unreachable')).toBe(4);
  });

  test('fault R4: a half-open connection is found within its idle limit, and the status says so meanwhile', async () => {
    const { clock, kind, informer, names, lines, problems } = world();
    kind.put(thing('a/one'));
    await clock.advance(1000);
    stallWatches(kind);
    kind.fail('watch', () => new KubeError('ConnectionRefused', 'nobody there'), 2);
    kind.put(thing('a/two'));
    await clock.advance(88_999);
    expect(names()).toEqual(['one']);
    expect(informer.status.phase).toBe('live');
    await clock.advance(2);
    expect(informer.status).toMatchObject({ phase: 'stale', problem: { kind: 'unreachable' } });
    expect(informer.hasSynced).toBe(true);
    await clock.advance(10_000);
    expect(names()).toEqual(['one', 'two']);
    expect(informer.status.phase).toBe('live');
    expect(problems('idle')).toBe(1);
    expect(lines.map(({ message, fields }) => `${message}: ${String(fields['problem'])}`)).toEqual([
      'reflector failed; listing again: idle',
      'reflector pauses: unreachable',
      'reflector pauses: unreachable',
    ]);
  });

  test('fault R4: bookmarks are a heartbeat: a quiet kind is neither reconnected nor relisted', async () => {
    const { clock, kind, informer } = world();
    kind.put(thing('a/one'));
    await clock.advance(290_000);
    expect(kind.requests).toHaveLength(1);
    expect(informer.status.phase).toBe('live');
  });

  test('fault R4: where the server sends no bookmarks, watches are short enough to show that it is there', async () => {
    const { clock, kind, informer, names, problems, requests } = world();
    kind.bookmarkPeriod = 0;
    kind.put(thing('a/one'));
    await clock.advance(200_000);
    const before = requests().length;
    const phases: string[] = [];
    for (let second = 0; second < 600; second++) {
      await clock.advance(1000);
      phases.push(informer.status.phase);
    }
    expect(phases.every((phase) => phase === 'live')).toBe(true);
    expect(requests().length - before).toBeLessThan(12);
    expect(problems('idle')).toBe(1);
    stallWatches(kind);
    kind.put(thing('a/two'));
    await clock.advance(91_000);
    expect(names()).toEqual(['one', 'two']);
  });

  test('fault R5: a watch that ends at once, again and again, is tried with growing pauses', async () => {
    const { clock, kind, problems, requests } = world();
    await clock.advance(100);
    for (let round = 0; round < 6_000; round++) {
      kind.disturb((stream) => stream.end());
      await clock.advance(100);
    }
    // Ten minutes: six attempts within the first minute, then two a minute or more, never a hundred.
    expect(requests().length).toBeLessThan(45);
    expect(requests().length).toBeGreaterThan(15);
    expect(problems('other')).toBeGreaterThan(10);
    const pauses = kind.requests.slice(1).map(({ at }, index) => at - (kind.requests[index]?.at ?? 0));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(30_200);
  });

  test('fault R5: after two calm minutes the first pause is short again', async () => {
    const { clock, kind, requests } = world();
    for (let round = 0; round < 300; round++) {
      kind.disturb((stream) => stream.end());
      await clock.advance(100);
    }
    await clock.advance(200_000);
    const before = requests().length;
    kind.disturb((stream) => stream.fail(new KubeError('ConnectionLost', 'cut')));
    await clock.advance(1700);
    expect(requests().length).toBe(before + 1);
  });

  test('fault R6: an older view of another API server is refused at first, and nothing of it is taken', async () => {
    for (const streaming of [true, false]) {
      const { clock, kind, told, names, problems } = world({ streaming });
      kind.put(thing('a/one'));
      await clock.advance(10);
      kind.remove('a/one');
      kind.put(thing('a/two'));
      await clock.advance(10_000);
      kind.put(thing('a/two'));
      stallWatches(kind);
      kind.put(thing('a/two'));
      kind.compact();
      kind.lagAt = 2;
      await clock.advanceUntil(() => problems('older') === 3);
      expect(names()).toEqual(['two']);
      kind.lagAt = undefined;
      await clock.advance(31_000);
      expect(names()).toEqual(['two']);
      expect(told.filter((line) => line.includes('one'))).toEqual(['+one@2', '-one@3']);
    }
  });

  test('fault R9: the watch continues from exactly the version of the list', async () => {
    const { clock, kind, names } = world({ streaming: false });
    kind.put(thing('a/one'));
    const list = kind.list.bind(kind);
    kind.list = async (options) => {
      const page = await list(options);
      kind.put(thing('a/between'));
      return page;
    };
    await clock.advance(100);
    expect(names()).toEqual(['one', 'between']);
    expect(kind.requests.at(-1)?.options.resourceVersion).toBe('2');
  });

  test('fault R10: only events and bookmarks move the version on; what has none is stream corruption', async () => {
    const { clock, kind, informer, problems, names } = world();
    kind.put(thing('a/one'));
    await clock.advance(10);
    kind.disturb((stream) => stream.push({ type: 'BOOKMARK', resourceVersion: '', initialEventsEnd: false }));
    await clock.advance(10);
    expect(informer.resourceVersion).toBe('2');
    await clock.advance(10_000);
    kind.disturb((stream) => stream.push({ type: 'MODIFIED', object: { kind: 'Status' } as Thing }));
    kind.put(thing('a/two'));
    await clock.advance(5000);
    expect(problems('corrupt')).toBe(1);
    expect(names()).toEqual(['one', 'two']);
    expect(kind.requests.at(-1)?.options.resourceVersion).toBe('2');
  });

  test('fault R10: bookmarks move the version on, so that a quiet watch can be resumed after compaction', async () => {
    const { clock, kind, informer, operations } = world();
    await clock.advance(10);
    kind.passVersions(999);
    kind.bookmark();
    await clock.advance(10_000);
    expect(informer.resourceVersion).toBe('1000');
    kind.disturb((stream) => stream.end());
    await clock.advance(10);
    expect(kind.requests.at(-1)?.options.resourceVersion).toBe('1000');
    expect(operations()).toEqual(['stream', 'look', 'watch']);
  });

  test('fault R11: an unreadable frame is stream corruption: counted, and resumed from the last good version', async () => {
    const { clock, kind, problems, names, operations } = world();
    kind.put(thing('a/one'));
    await clock.advance(10_000);
    kind.disturb((stream) => stream.fail(new KubeError('BadResponse', 'half a frame')));
    kind.put(thing('a/two'));
    await clock.advance(2000);
    expect(problems('corrupt')).toBe(1);
    expect(names()).toEqual(['one', 'two']);
    expect(operations()).toEqual(['stream', 'look', 'watch']);
    expect(kind.requests.at(-1)?.options.resourceVersion).toBe('2');
  });

  test('fault R12: a streaming list that ends early is discarded and tried again, then replaced by paged lists', async () => {
    const { clock, kind, informer, operations, told, names } = world();
    kind.put(thing('a/one'));
    const watch = kind.watch.bind(kind);
    kind.watch = async function* (options) {
      for await (const event of watch(options)) {
        if (event.type === 'BOOKMARK' && event.initialEventsEnd) return;
        yield event;
      }
    };
    await clock.advance(3000);
    expect(informer.hasSynced).toBe(false);
    kind.remove('a/one');
    kind.put(thing('a/two'));
    await clock.advance(30_000);
    expect(informer.hasSynced).toBe(true);
    expect(operations()).toEqual(['stream', 'stream', 'stream', 'list', 'watch']);
    expect(names()).toEqual(['two']);
    expect(told.at(-1)).toBe('-one@2 unknown');
  });

  test('fault R12: a server that ignores the request for a streaming list is detected by its first bookmark', async () => {
    const { clock, kind, informer, operations } = world();
    kind.put(thing('a/one'));
    const watch = kind.watch.bind(kind);
    kind.watch = (options) => watch({ ...options, sendInitialEvents: false });
    await clock.advance(300_000);
    expect(informer.hasSynced).toBe(true);
    expect(operations()).toContain('list');
  });

  test('fault R13: a page token that expires leads to one full list', async () => {
    const { clock, kind, names, operations } = world({ streaming: false, pageSize: 2 });
    for (const name of ['one', 'two', 'three']) kind.put(thing(`a/${name}`));
    const list = kind.list.bind(kind);
    kind.list = async (options) => {
      if (options?.continue) {
        kind.put(thing('a/four'));
        kind.compact();
      }
      return list(options);
    };
    await clock.advance(100);
    expect(operations()).toEqual(['list', 'next page', 'full list', 'watch']);
    expect(names()).toEqual(['one', 'two', 'three', 'four']);
  });

  test('fault R14: an object replaced while away is a removal and an addition', async () => {
    const { clock, kind, told } = world();
    kind.put(thing('a/one'));
    await clock.advance(10);
    stallWatches(kind);
    kind.remove('a/one');
    kind.put(thing('a/one', {}, { uid: 'another' }));
    kind.compact();
    await clock.advance(93_000);
    expect(told).toEqual(['+one@2', '-one@2 unknown', '+one@4']);
  });

  test('fault R21: a missing CRD is reported, and the cache waits for it; one that is removed and installed again is found again', async () => {
    const { clock, kind, informer, names, lines, problems } = world();
    kind.installed = false;
    await clock.advance(60_000);
    expect(informer.status).toMatchObject({ phase: 'starting', problem: { kind: 'missing' } });
    expect(lines.find(({ fields }) => fields['problem'] === 'missing')?.message).toBe('reflector pauses');
    kind.installed = true;
    kind.put(thing('a/one'));
    await clock.advance(5000);
    expect(names()).toEqual(['one']);
    kind.installed = false;
    kind.remove('a/one');
    kind.disturb((stream) => stream.end());
    await clock.advance(60_000);
    expect(problems('missing')).toBeGreaterThan(1);
    kind.installed = true;
    kind.put(thing('a/two'));
    await clock.advance(5000);
    expect(names()).toEqual(['two']);
  });

  test('status 500 for a minute: few requests, a stale cache that serves, then automatic recovery', async () => {
    const { clock, kind, informer, names, lines, requests } = world();
    kind.put(thing('a/one'));
    await clock.advance(10_000);
    const until = clock.monotonic() + 60_000;
    const failing = () => new KubeError('InternalError', 'etcd is down', { httpStatus: 500 });
    const watch = kind.watch.bind(kind);
    kind.watch = async function* (options) {
      if (clock.monotonic() < until) throw failing();
      yield* watch(options);
    };
    const before = requests().length;
    kind.disturb((stream) => stream.fail(failing()));
    kind.put(thing('a/two'));
    await clock.advance(59_000);
    expect(names()).toEqual(['one']);
    expect(informer.status.phase).toBe('stale');
    expect(lines.length).toBeLessThan(10);
    await clock.advance(32_000);
    expect(names()).toEqual(['one', 'two']);
    expect(requests().length - before).toBeLessThan(3);
  });

  test('a server that asks for a longer pause gets it', async () => {
    const { clock, kind } = world();
    kind.fail(
      'watch',
      () =>
        new KubeError('TooManyRequests', 'slow down', {
          httpStatus: 429,
          status: { details: { retryAfterSeconds: 20 } },
        }),
    );
    await clock.advance(19_000);
    expect(kind.requests).toHaveLength(1);
    await clock.advance(2000);
    expect(kind.requests).toHaveLength(2);
  });

  test('missing rights are reported and waited for', async () => {
    const { clock, kind, informer, names, problems } = world();
    kind.put(thing('a/one'));
    kind.fail('watch', () => new KubeError('Forbidden', 'things is forbidden', { httpStatus: 403 }), 3);
    await clock.advance(3000);
    expect(informer.status.problem?.kind).toBe('denied');
    await clock.advance(20_000);
    expect(names()).toEqual(['one']);
    expect(problems('denied')).toBe(3);
  });

  test('watches end at random times between five and ten minutes, and go on without a pause', async () => {
    const { clock, operations, requests } = world();
    await clock.advance(3_600_000);
    const ages = requests()
      .slice(1)
      .map(({ at }, index) => at - (requests()[index]?.at ?? 0));
    expect(Math.min(...ages)).toBeGreaterThanOrEqual(300_000);
    expect(Math.max(...ages)).toBeLessThanOrEqual(600_000);
    expect(new Set(ages).size).toBeGreaterThan(3);
    expect(
      operations()
        .slice(1)
        .every((operation, index) => operation === (index % 2 ? 'watch' : 'look')),
    ).toBe(true);
  });

  test('stopping ends at once in every state and leaves nothing behind', async () => {
    for (const prepare of [
      (kind: ScriptedKind<Thing>) => kind,
      (kind: ScriptedKind<Thing>) => Object.assign(kind, { installed: false }),
      (kind: ScriptedKind<Thing>) => Object.assign(kind, { streaming: false }),
    ]) {
      const { clock, kind, stop, ended } = world();
      prepare(kind);
      await clock.advance(1000);
      stop.abort();
      await ended;
      await clock.advance(0);
      expect([kind.openWatches, clock.pendingTimers]).toEqual([0, 0]);
    }
  });
});
