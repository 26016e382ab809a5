// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { controllerWorld as world } from '../testing/controller-world.ts';
import { thing, things } from '../testing/things.ts';
import { done, requeueAfter, TerminalError, terminal } from './result.ts';

describe('controller', () => {
  test('reconciles what is there at the start and what changes after', async () => {
    const { clock, client, seen, note, start } = world();
    client.kind(things).put(thing('a/one'));
    start(async (request) => {
      note(request);
      return done();
    });
    await clock.advance(10);
    client.kind(things).put(thing('a/one'));
    await clock.advance(10);
    client.kind(things).remove('a/one');
    await clock.advance(10);
    expect(seen).toEqual(['one@0', 'one@10', 'one@20']);
  });

  test('fault R18: a fresh event is reconciled before the rest of a long start-up list', async () => {
    const { clock, client, seen, start } = world();
    for (let index = 0; index < 50; index++) client.kind(things).put(thing(`a/old-${index}`));
    start(async ({ name }) => {
      seen.push(name);
      await clock.sleep(1000);
      return done();
    });
    await clock.advance(2500);
    client.kind(things).put(thing('a/fresh'));
    await clock.advance(1000);
    expect(seen).toEqual(['old-0', 'old-1', 'old-2', 'fresh']);
  });

  test('what is thrown is retried with growing delays, counted and logged; success starts over', async () => {
    const { clock, client, seen, note, start, lines, metric } = world();
    client.kind(things).put(thing('a/one'));
    let failing = true;
    start(async (request, { failures }) => {
      note({ name: `${request.name}/${failures}` });
      if (failing) throw new Error('not yet');
      return done();
    });
    await clock.advance(5 + 10 + 20 + 1);
    expect(seen).toEqual(['one/0@0', 'one/1@5', 'one/2@15', 'one/3@35']);
    const warning = lines.find(({ message }) => message === 'reconcile failed');
    expect(warning).toMatchObject({ level: 'warn', fields: { object: 'Thing a/one', failures: 1, retryIn: 5 } });
    failing = false;
    await clock.advance(1000);
    expect(metric('controller_runtime_reconcile_errors_total\\{controller="things"\\}')).toBe(4);
    expect(metric('controller_runtime_reconcile_total\\{controller="things",result="success"\\}')).toBe(1);
    failing = true;
    client.kind(things).put(thing('a/one'));
    await clock.advance(0);
    expect(seen.at(-1)).toMatch(/^one\/0/);
  });

  test('fault R17: one object that always throws delays no other', async () => {
    const { clock, client, seen, start } = world();
    client.kind(things).put(thing('a/poison'));
    start(async ({ name }) => {
      if (name === 'poison') throw new Error('always');
      seen.push(`${name}@${clock.monotonic()}`);
      return done();
    });
    for (let second = 1; second <= 60; second++) {
      client.kind(things).put(thing('a/well'));
      await clock.advance(1000);
    }
    expect(seen).toHaveLength(60);
    expect(seen[59]).toBe('well@59000');
  });

  test('a synchronous throw and a rejection with something that is no error are failures like any other', async () => {
    const { clock, client, start, lines } = world();
    client.kind(things).put(thing('a/one'));
    client.kind(things).put(thing('a/two'));
    start(({ name }) => {
      if (name === 'one') throw new TypeError('sync');
      return Promise.reject('a string' as unknown as Error);
    });
    await clock.advance(1);
    expect(lines.filter(({ message }) => message === 'reconcile failed')).toHaveLength(2);
  });

  test('a result asks for another look later; an event in between makes the old request moot', async () => {
    const { clock, client, seen, note, start } = world();
    client.kind(things).put(thing('a/one'));
    let answer = requeueAfter('10s');
    start(async (request) => {
      note(request);
      return answer;
    });
    await clock.advance(10_000);
    expect(seen).toEqual(['one@0', 'one@10000']);
    await clock.advance(5000);
    answer = done();
    client.kind(things).put(thing('a/one'));
    await clock.advance(60_000);
    expect(seen).toEqual(['one@0', 'one@10000', 'one@15000']);
  });

  test('a terminal error, returned or thrown from below, is reported and not retried until something changes', async () => {
    const { clock, client, seen, note, start, lines, metric } = world();
    client.kind(things).put(thing('a/returned'));
    client.kind(things).put(thing('a/thrown'));
    start(async (request) => {
      note(request);
      if (request.name === 'returned') return terminal(new Error('bad spec'));
      throw new Error('outer', { cause: new TerminalError('bad spec below') });
    });
    await clock.advance(3_600_000);
    expect(seen).toEqual(['returned@0', 'thrown@0']);
    expect(lines.filter(({ message }) => message === 'reconciliation failed and is not retried')).toHaveLength(2);
    expect(metric('controller_runtime_terminal_reconcile_errors_total\\{controller="things"\\}')).toBe(2);
    client.kind(things).put(thing('a/returned', { size: 2 }));
    await clock.advance(0);
    expect(seen).toHaveLength(3);
  });

  test('fault R16: one object is never reconciled twice at a time, however many workers there are', async () => {
    const { clock, client, start } = world();
    let running = 0;
    let most = 0;
    let runs = 0;
    start(
      async () => {
        most = Math.max(most, ++running);
        runs++;
        await clock.sleep(1000);
        running--;
        return done();
      },
      { concurrency: 8 },
    );
    for (let round = 0; round < 10; round++) {
      client.kind(things).put(thing('a/one'));
      await clock.advance(300);
    }
    await clock.advance(5000);
    expect([most, runs]).toEqual([1, 4]);
  });

  test('different objects are reconciled side by side, up to the concurrency', async () => {
    const { clock, client, seen, note, start, metric } = world();
    for (let index = 0; index < 6; index++) client.kind(things).put(thing(`a/${index}`));
    start(
      async (request) => {
        note(request);
        await clock.sleep(1000);
        return done();
      },
      { concurrency: 3 },
    );
    await clock.advance(500);
    expect(seen).toHaveLength(3);
    expect(metric('controller_runtime_active_workers\\{controller="things"\\}')).toBe(3);
    expect(metric('controller_runtime_max_concurrent_reconciles\\{controller="things"\\}')).toBe(3);
    await clock.advance(1000);
    expect(seen).toHaveLength(6);
  });

  test('a reconcile that never returns is reported, measured and aborted, and delays no other', async () => {
    const { clock, client, seen, start, lines, metric } = world();
    client.kind(things).put(thing('a/stuck'));
    let signal: AbortSignal | undefined;
    start(async ({ name }, context) => {
      if (name === 'stuck') {
        signal = context.signal;
        await new Promise(() => undefined);
      }
      seen.push(name);
      return done();
    });
    await clock.advance(59_000);
    client.kind(things).put(thing('a/other'));
    await clock.advance(500);
    expect(seen).toEqual([]);
    await clock.advance(501);
    expect(seen).toEqual(['other']);
    expect(lines.find(({ message }) => message.startsWith('reconciliation is stuck'))?.fields['object']).toBe(
      'Thing a/stuck',
    );
    expect(metric('controller_runtime_stuck_reconciles\\{controller="things"\\}')).toBe(1);
    expect(metric('workqueue_longest_running_processor_seconds\\{name="things"\\}')).toBeGreaterThan(60);
    expect(signal?.aborted).toBe(false);
    client.kind(things).put(thing('a/stuck'));
    client.kind(things).put(thing('a/other'));
    await clock.advance(540_000);
    expect(seen).toEqual(['other', 'other']);
    expect(signal?.aborted).toBe(true);
    expect(lines.some(({ message }) => message === 'reconciliation took too long and was aborted')).toBe(true);
  });

  test('a stuck reconcile that does return leaves the number of workers as it was', async () => {
    const { clock, client, start } = world();
    let running = 0;
    let most = 0;
    start(async ({ name }) => {
      most = Math.max(most, ++running);
      await clock.sleep(name === 'slow' ? 90_000 : 1000);
      running--;
      return done();
    });
    client.kind(things).put(thing('a/slow'));
    await clock.advance(100_000);
    most = 0;
    for (let index = 0; index < 5; index++) client.kind(things).put(thing(`a/${index}`));
    await clock.advance(10_000);
    expect(most).toBe(1);
  });

  test('however many slow requests a namespace has, with workers to spare those of others do not wait', async () => {
    const { clock, client, seen, start } = world();
    for (let index = 0; index < 10; index++) client.kind(things).put(thing(`slow/${index}`));
    start(
      async ({ namespace = '', name }) => {
        seen.push(`${namespace}/${name}`);
        await clock.sleep(namespace === 'slow' ? 50_000 : 1000);
        return done();
      },
      { concurrency: 2, spareConcurrency: 2 },
    );
    await clock.advance(500);
    expect(seen).toEqual(['slow/0', 'slow/1']);
    for (let index = 0; index < 2; index++) client.kind(things).put(thing(`good/${index}`));
    await clock.advance(500);
    expect(seen.slice(2)).toEqual(['good/0']);
    await clock.advance(1000);
    expect(seen.slice(3)).toEqual(['good/1']);
  });

  test('stopping aborts what runs, waits for it, and hands out nothing more', async () => {
    const { clock, client, seen, stop, start } = world();
    client.kind(things).put(thing('a/one'));
    client.kind(things).put(thing('a/two'));
    const { ended } = start(async ({ name }, { signal }) => {
      seen.push(`start ${name}`);
      await clock.sleep(60_000, signal).catch(() => undefined);
      await clock.sleep(2000);
      seen.push(`end ${name}`);
      return done();
    });
    await clock.advance(1000);
    stop.abort();
    await clock.advance(1000);
    expect(seen).toEqual(['start one']);
    await clock.advance(1000);
    await ended;
    expect(seen).toEqual(['start one', 'end one']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('stopping does not wait for ever for a reconcile that never returns', async () => {
    const { clock, client, stop, start, lines } = world();
    client.kind(things).put(thing('a/one'));
    const { ended } = start(() => new Promise(() => undefined), { gracePeriod: 5000 });
    await clock.advance(1000);
    stop.abort();
    await clock.advance(5000);
    await ended;
    expect(lines.some(({ message }) => message === 'reconciliations did not finish in time')).toBe(true);
  });

  test('one who is never the fastest is tried again every second, however many conflicts there were', async () => {
    const { clock, client, start, seen, note } = world();
    client.kind(things).put(thing('a/one'));
    start(async (request) => {
      note(request);
      throw new KubeError('Conflict', 'modified', { httpStatus: 409 });
    });
    await clock.advance(60_000);
    // 5, 10, 20 ... 640 ms, then one second each.
    expect(seen.length).toBeGreaterThan(60);
    expect(seen.length).toBeLessThan(70);
  });

  test('a conflict is no reason for a warning', async () => {
    const { clock, client, start, lines } = world();
    client.kind(things).put(thing('a/one'));
    let first = true;
    start(async () => {
      if (first) {
        first = false;
        throw new KubeError('Conflict', 'modified', { httpStatus: 409 });
      }
      return done();
    });
    await clock.advance(1000);
    expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
    expect(lines.some(({ message }) => message === 'reconcile conflicted')).toBe(true);
  });
});
