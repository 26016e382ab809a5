// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '@operator-parts/kube';
import { createLogger, type LogRecord, seededRandom, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { ScriptedKind } from '../testing/scripted-kind.ts';
import { type Thing, thing, things } from '../testing/things.ts';
import { Informer, type InformerOptions } from './informer.ts';

function world(options: Partial<InformerOptions<Thing>> = {}) {
  const clock = new VirtualClock();
  const kind = new ScriptedKind<Thing>(clock);
  const lines: LogRecord[] = [];
  const informer = new Informer<Thing>({
    resource: things,
    reader: kind,
    clock,
    random: seededRandom(3),
    log: createLogger({ clock, write: (line) => lines.push(line) }),
    ...options,
  });
  const stop = new AbortController();
  const start = () => void informer.run(stop.signal);
  return { clock, kind, informer, lines, stop, start };
}

const nameOf = ({ metadata }: Thing) => `${metadata?.name}@${metadata?.resourceVersion}`;

describe('informer', () => {
  test('whenSynced resolves with the first complete view, or with false when it is aborted', async () => {
    const { clock, informer, start } = world();
    const impatient = new AbortController();
    const givenUp = informer.whenSynced(impatient.signal);
    impatient.abort();
    expect(await givenUp).toBe(false);
    const synced = informer.whenSynced();
    const never = Number.POSITIVE_INFINITY;
    expect(informer.status).toEqual({ phase: 'starting', sinceContact: never, lag: never });
    start();
    await clock.advance(10);
    expect(await synced).toBe(true);
    expect(await informer.whenSynced()).toBe(true);
  });

  test('its status says how old the copy may be, and when it was last known to be complete', async () => {
    const { clock, kind, informer, start } = world();
    start();
    await clock.advance(1000);
    expect(informer.status).toMatchObject({ phase: 'live', lag: 1000, confirmedAt: clock.now() - 1000 });
    kind.bookmark();
    await clock.advance(10);
    expect(informer.status.lag).toBe(10);
    kind.fail('list', () => new KubeError('ConnectionRefused', 'nobody there'), 100);
    kind.disturb((stream) => stream.end());
    await clock.advance(120_000);
    expect(informer.status).toMatchObject({ phase: 'stale', lag: 120_010, confirmedAt: clock.now() - 120_010 });
  });

  test('what a handler gets is frozen on request, so that tests find code that modifies the cache', async () => {
    const { clock, kind, informer, start } = world({ freeze: true });
    kind.put(thing('a/one', { size: 1 }, { labels: { x: '1' } }));
    start();
    await clock.advance(10);
    const cached = informer.lister.get('a/one');
    expect(() => Object.assign(cached?.metadata?.labels ?? {}, { y: '2' })).toThrow(TypeError);
    expect(() => Object.assign(cached?.spec ?? {}, { size: 2 })).toThrow(TypeError);
  });

  test('managedFields is stripped, and a transform keeps what is wanted only', async () => {
    const { clock, kind, informer, start } = world({ transform: ({ status: _, ...rest }) => rest });
    kind.put({ ...thing('a/one', {}, { managedFields: [{ manager: 'm' }] }), status: { observed: 1 } });
    start();
    await clock.advance(10);
    expect(informer.lister.get('a/one')?.metadata?.managedFields).toBeUndefined();
    expect(informer.lister.get('a/one')).not.toHaveProperty('status');
  });

  test('fault R8: an answer of the API never enters the cache; only the watch writes to it', async () => {
    const { clock, kind, informer, start } = world();
    kind.put(thing('a/one'));
    start();
    await clock.advance(10);
    kind.disturb((stream) => {
      stream.stalled = true;
    });
    const answer = kind.put(thing('a/one', { size: 5 }));
    await clock.advance(10);
    expect(answer.metadata?.resourceVersion).toBe('3');
    expect(informer.lister.get('a/one')?.metadata?.resourceVersion).toBe('2');
    expect(Object.keys(informer.lister)).not.toContain('set');
  });

  test('fault R15: a handler that throws or rejects is reported and disturbs neither the cache nor other handlers', async () => {
    const { clock, kind, informer, lines, start } = world();
    const heard: string[] = [];
    informer.addHandler({
      added: () => {
        throw new Error('sync');
      },
    });
    informer.addHandler({ added: () => Promise.reject(new Error('async')) });
    informer.addHandler({ added: (object) => void heard.push(nameOf(object)) });
    start();
    await clock.advance(10);
    kind.put(thing('a/one'));
    kind.put(thing('a/two'));
    await clock.advance(10);
    expect(heard).toEqual(['one@2', 'two@3']);
    expect(informer.lister.size).toBe(2);
    const errors = lines.filter(({ message }) => message === 'event handler failed');
    expect(errors).toHaveLength(4);
    expect(errors[0]?.fields).toMatchObject({ resource: 'things.lab.example', error: { message: 'sync' } });
  });

  test('fault R15: a slow handler gets the newest state of each object; its backlog is bounded by objects, not events', async () => {
    const { clock, kind, informer, start } = world();
    const heard: string[] = [];
    const slow = informer.addHandler({
      added: async (object) => {
        heard.push(`+${nameOf(object)}`);
        await clock.sleep(60_000);
      },
      updated: async (before, after) => {
        heard.push(`~${nameOf(before)}>${nameOf(after)}`);
        await clock.sleep(60_000);
      },
      removed: async (object) => void heard.push(`-${nameOf(object)}`),
    });
    const quick: string[] = [];
    informer.addHandler({
      added: (object) => void quick.push(nameOf(object)),
      updated: (_, after) => void quick.push(nameOf(after)),
    });
    start();
    await clock.advance(10);
    kind.put(thing('a/one'));
    for (let round = 0; round < 1000; round++) kind.put(thing('a/two'));
    kind.put(thing('a/gone'));
    kind.remove('a/gone');
    kind.put(thing('a/one'));
    await clock.advance(10);
    expect(quick).toHaveLength(1003);
    expect(slow.backlog).toBe(2);
    await clock.advance(200_000);
    expect(heard).toEqual(['+one@2', '+two@1002', '~one@2>one@1005']);
  });

  test('fault R15: merged changes keep removals, replacements and final states apart', async () => {
    const { clock, kind, informer, start } = world();
    const heard: string[] = [];
    let release: () => void = () => undefined;
    informer.addHandler({
      added: (object) => {
        heard.push(`+${nameOf(object)}`);
        return object.metadata?.name === 'gate' ? new Promise<void>((resolve) => (release = resolve)) : undefined;
      },
      updated: (before, after) => void heard.push(`~${nameOf(before)}>${nameOf(after)}`),
      removed: (object, how) => void heard.push(`-${nameOf(object)}${how.finalStateUnknown ? ' unknown' : ''}`),
    });
    kind.put(thing('a/removed'));
    kind.put(thing('a/replaced'));
    kind.put(thing('a/swapped'));
    start();
    await clock.advance(10);
    heard.length = 0;
    kind.put(thing('a/gate'));
    await clock.advance(10);
    kind.put(thing('a/removed'));
    kind.remove('a/removed');
    kind.remove('a/replaced');
    kind.put(thing('a/replaced', {}, { uid: 'r2' }));
    kind.remove('a/swapped');
    kind.put(thing('a/swapped', {}, { uid: 's2' }));
    kind.remove('a/swapped');
    await clock.advance(10);
    release();
    await clock.advance(10);
    expect(heard).toEqual(['+gate@5', '-removed@7', '-replaced@8', '+replaced@9', '-swapped@10']);
  });

  test('a handler that cannot part with what was replaced hears of its replacement all the same', async () => {
    const { clock, kind, informer, start } = world();
    const heard: string[] = [];
    informer.addHandler({
      added: async (object) => {
        heard.push(`+${nameOf(object)}`);
        await clock.sleep(1000);
      },
      removed: async (object) => {
        heard.push(`-${nameOf(object)}`);
        throw new Error('cannot part with it');
      },
    });
    kind.put(thing('a/one'));
    start();
    await clock.advance(10);
    kind.remove('a/one');
    kind.put(thing('a/one', {}, { uid: 'another' }));
    await clock.advance(10_000);
    expect(heard).toEqual(['+one@2', '-one@3', '+one@4']);
  });

  test('a handler that joins late hears of everything there is, once, as part of the initial view', async () => {
    const { clock, kind, informer, start } = world();
    kind.put(thing('a/one'));
    start();
    await clock.advance(10);
    const heard: string[] = [];
    const registration = informer.addHandler({
      added: (object, { initial }) => void heard.push(`${nameOf(object)} ${initial}`),
    });
    expect(heard).toEqual(['one@2 true']);
    kind.put(thing('a/two'));
    await clock.advance(10);
    expect(heard).toEqual(['one@2 true', 'two@3 false']);
    registration.remove();
    kind.put(thing('a/three'));
    await clock.advance(10);
    expect(heard).toHaveLength(2);
  });

  test('a resync brings every object again, marked as such, until the handler is removed', async () => {
    const { clock, kind, informer, start } = world();
    kind.put(thing('a/one'));
    kind.put(thing('a/two'));
    start();
    const heard: string[] = [];
    const registration = informer.addHandler(
      { updated: (before, after, { resync }) => void heard.push(`${nameOf(after)} ${before === after} ${resync}`) },
      { resyncPeriod: 60_000 },
    );
    await clock.advance(60_000);
    expect(heard).toEqual(['one@2 true true', 'two@3 true true']);
    await clock.advance(60_000);
    expect(heard).toHaveLength(4);
    registration.remove();
    await clock.advance(600_000);
    expect(heard).toHaveLength(4);
  });

  test('no resync outlives the run of its informer', async () => {
    const { clock, kind, informer, start, stop } = world();
    kind.put(thing('a/one'));
    const heard: string[] = [];
    informer.addHandler({ updated: (_, after) => void heard.push(nameOf(after)) }, { resyncPeriod: 60_000 });
    start();
    await clock.advance(60_000);
    expect(heard).toEqual(['one@2']);
    stop.abort();
    await clock.advance(600_000);
    expect(heard).toEqual(['one@2']);
    informer.addHandler({}, { resyncPeriod: 60_000 });
    expect(clock.pendingTimers).toBe(0);
  });

  test.each(
    [1, 2, 5, 50, 100_000].flatMap((moment) => [
      { moment, streaming: true },
      { moment, streaming: false },
    ]),
  )(
    'stopped ($moment, $streaming) and run again, it goes on with nothing lost or told twice',
    async ({ moment, streaming }) => {
      const { clock, kind, informer } = world({ pageSize: 1, streaming });
      const heard: string[] = [];
      informer.addHandler(
        {
          added: (object) => void heard.push(`+${nameOf(object)}`),
          updated: (_, after) => void heard.push(`~${nameOf(after)}`),
        },
        { resyncPeriod: 3_600_000 },
      );
      for (const name of ['one', 'two', 'three']) kind.put(thing(`a/${name}`));
      for (let round = 0; round < 4; round++) {
        const stop = new AbortController();
        const ended = informer.run(stop.signal);
        // A list request takes a few turns of promises.
        for (let turn = 0; turn < Math.min(moment, 60); turn++) await Promise.resolve();
        if (moment > 60) await clock.advance(moment);
        stop.abort();
        await ended;
        expect([kind.openWatches, clock.pendingTimers]).toEqual([0, 0]);
      }
      kind.remove('a/two');
      const stop = new AbortController();
      const ended = informer.run(stop.signal);
      await clock.advance(1000);
      expect(informer.lister.list().map(({ metadata }) => metadata?.name)).toEqual(['one', 'three']);
      expect(heard.filter((line) => !line.includes('two'))).toEqual(['+one@2', '+three@4']);
      await clock.advance(3_600_000);
      expect(heard.filter((line) => line.startsWith('~'))).toEqual(['~one@2', '~three@4']);
      stop.abort();
      await ended;
    },
  );

  test('a resync of a busy handler does not hide a change that waits', async () => {
    const { clock, kind, informer, start } = world();
    kind.put(thing('a/one'));
    start();
    await clock.advance(10);
    const heard: string[] = [];
    informer.addHandler(
      {
        added: () => clock.sleep(100_000),
        updated: (before, after, { resync }) => void heard.push(`${nameOf(before)}>${nameOf(after)} ${resync}`),
      },
      { resyncPeriod: 30_000 },
    );
    kind.put(thing('a/one'));
    await clock.advance(99_000);
    kind.put(thing('a/one'));
    await clock.advance(2000);
    expect(heard).toEqual(['one@2>one@4 false']);
  });

  test('fault R24: a selection tells that a removed object may still exist', async () => {
    for (const [labelSelector, expected] of [['app=x', true] as const, [undefined, false] as const]) {
      const { clock, kind, informer, start } = world(labelSelector ? { labelSelector } : {});
      const heard: boolean[] = [];
      informer.addHandler({ removed: (_, how) => void heard.push(how.mayStillExist) });
      kind.put(thing('a/one'));
      start();
      await clock.advance(10);
      kind.remove('a/one');
      await clock.advance(10);
      expect(heard).toEqual([expected]);
    }
  });

  test('hasReached follows events and bookmarks', async () => {
    const { clock, kind, informer, start } = world();
    expect(informer.hasReached('1')).toBe(false);
    kind.put(thing('a/one'));
    start();
    await clock.advance(10);
    expect([informer.hasReached('2'), informer.hasReached('3'), informer.hasReached('x')]).toEqual([
      true,
      false,
      undefined,
    ]);
    let moved = 0;
    const end = informer.onProgress(() => moved++);
    kind.put(thing('b/other'));
    kind.bookmark();
    await clock.advance(10);
    expect(informer.hasReached('3')).toBe(true);
    expect(moved).toBe(1);
    end();
    kind.put(thing('a/one'));
    await clock.advance(10);
    expect(moved).toBe(1);
  });
});
