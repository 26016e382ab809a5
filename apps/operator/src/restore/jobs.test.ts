// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '@operator-parts/blob';
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { TransferSemaphore } from '../transfers/transfer-semaphore.ts';
import { type JobContext, Jobs } from './jobs.ts';

/** Work that continues until the test gives it a result or an error. */
function piece() {
  const { promise, resolve } = Promise.withResolvers<string>();
  let begun = false;
  let reason: unknown;
  const work = ({ signal }: JobContext) => {
    begun = true;
    const ended = Promise.withResolvers<string>();
    signal.addEventListener('abort', () => {
      reason = signal.reason;
      ended.reject(signal.reason);
    });
    return Promise.race([promise, ended.promise]);
  };
  return { work, finish: resolve, isBegun: () => begun, reason: () => reason };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('jobs of restores', () => {
  test('end when the lease is lost, and none begins after that', async () => {
    const jobs = new Jobs(new VirtualClock());
    const lease = new AbortController();
    const running = jobs.run(lease.signal);
    const [first, second] = [piece(), piece()];
    jobs.start('a', first.work);
    lease.abort(new Error('the lease is lost'));
    await running;
    expect(first.reason()).toEqual(new Error('the lease is lost'));
    jobs.start('b', second.work);
    expect(second.isBegun()).toBe(false);
    expect(jobs.state('b')).toEqual({ kind: 'idle' });
  });

  test('of which only so many may run wait for their turn, first come, first served, and say so', async () => {
    const ended: string[] = [];
    const jobs = new Jobs(new VirtualClock(), (name) => ended.push(name));
    const semaphore = new TransferSemaphore(2, new VirtualClock());
    const pieces = ['a', 'b', 'c', 'd'].map((name) => ({ name, ...piece() }));
    for (const { name, work } of pieces) jobs.start(name, work, { semaphore, namespace: 'ns' });
    await turn();
    const kinds = () => pieces.map(({ name }) => jobs.state(name).kind);
    expect(kinds()).toEqual(['running', 'running', 'waiting', 'waiting']);
    expect(jobs.state('c')).toEqual({ kind: 'waiting', ahead: 2 });
    pieces[1]?.finish('read');
    await turn();
    expect(kinds()).toEqual(['running', 'done', 'running', 'waiting']);
    // A forgotten job gives its turn to the next one.
    await jobs.forget('a');
    await turn();
    expect(kinds()).toEqual(['idle', 'done', 'running', 'running']);
    expect(ended).toEqual(['b']);
  });

  test('that wait for their turn are begun once, however often they are asked for', async () => {
    const jobs = new Jobs(new VirtualClock());
    const semaphore = new TransferSemaphore(1, new VirtualClock());
    const [first, second] = [piece(), piece()];
    jobs.start('a', first.work, { semaphore, namespace: 'ns' });
    await turn();
    for (let round = 0; round < 3; round++) jobs.start('b', second.work, { semaphore, namespace: 'ns' });
    first.finish('');
    await turn();
    expect(semaphore.taken).toBe(1);
    second.finish('');
    await turn();
    expect(semaphore.taken).toBe(0);
  });

  test('that fail again and again say for how long, whatever the clock on the wall does', async () => {
    const clock = new VirtualClock();
    const jobs = new Jobs(clock);
    const failing = () => Promise.reject(new Error('no'));
    jobs.start('a', failing);
    await turn();
    clock.jump(3_600_000);
    expect(jobs.state('a')).toMatchObject({ kind: 'failed', failingFor: 0 });
    await clock.advance(5_000);
    jobs.start('a', failing);
    expect(jobs.state('a')).toMatchObject({ kind: 'running', lastFailure: 'no' });
    await turn();
    expect(jobs.state('a')).toMatchObject({ kind: 'failed', failingFor: 5_000 });
  });

  test('that fail for another reason, which is waited for less long, are counted from then on', async () => {
    const clock = new VirtualClock();
    const jobs = new Jobs(clock);
    const failWith = async (error: Error) => {
      jobs.start('a', () => Promise.reject(error));
      await turn();
      return jobs.state('a');
    };
    await failWith(new Error('no answer'));
    await clock.advance(300_000);
    // The store is reachable again, but does not accept the credentials yet.
    const denied = new BlobError('Denied', 'access denied');
    expect(await failWith(denied)).toMatchObject({ passes: true, limit: 360_000, failingFor: 300_000 });
    await clock.advance(60_000);
    expect(await failWith(denied)).toMatchObject({ limit: 360_000, failingFor: 360_000 });
  });

  test('that fail for two reasons in turn are counted from the first failure of all', async () => {
    const clock = new VirtualClock();
    const jobs = new Jobs(clock);
    for (let times = 0; times < 60; times++) {
      const error = times % 2 === 0 ? new BlobError('Denied', 'access denied') : new Error('no answer');
      jobs.start('a', () => Promise.reject(error));
      await turn();
      await clock.advance(10_000);
    }
    const state = jobs.state('a');
    expect(state).toMatchObject({ why: 'no answer', failingFor: 600_000 });
    expect(state).not.toHaveProperty('limit');
  });

  test('that have just failed are not begun again, however often they are observed', async () => {
    const clock = new VirtualClock();
    const jobs = new Jobs(clock);
    let attempts = 0;
    for (let looks = 0; looks < 100; looks++) {
      jobs.start('a', () => Promise.reject(new Error(`no answer ${attempts++}`)));
      await turn();
      await clock.advance(50);
    }
    expect(attempts).toBe(5);
  });

  test('that try a part of their work again by themselves say why', async () => {
    const jobs = new Jobs(new VirtualClock());
    jobs.start('a', async ({ onTrouble, onProgress, signal }) => {
      onTrouble?.('cut off');
      onProgress(7);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    await turn();
    expect(jobs.state('a')).toEqual({ kind: 'running', bytes: 7, lastFailure: 'cut off' });
    await jobs.forget('a');
  });

  test('that failed say why while the next attempt waits for its turn', async () => {
    const clock = new VirtualClock();
    const jobs = new Jobs(clock);
    const semaphore = new TransferSemaphore(1, clock);
    const line = { semaphore, namespace: 'ns' };
    jobs.start('a', () => Promise.reject(new Error('no')), line);
    await turn();
    await clock.advance(1_000);
    jobs.start('b', piece().work, line);
    await turn();
    jobs.start('a', piece().work, line);
    await turn();
    expect(jobs.state('a')).toEqual({ kind: 'waiting', ahead: 1, lastFailure: 'no' });
  });

  test('of an earlier spec end when the spec has changed', async () => {
    const jobs = new Jobs(new VirtualClock());
    const [before, now] = [piece(), piece()];
    jobs.start('ns/r/uid/1/verify', before.work);
    jobs.start('ns/r/uid/2/verify', now.work);
    await jobs.forget('ns/r/', 'ns/r/uid/2/');
    await turn();
    expect(before.reason()).toBeDefined();
    expect(jobs.state('ns/r/uid/1/verify').kind).toBe('idle');
    expect(jobs.state('ns/r/uid/2/verify').kind).toBe('running');
  });

  test('that are forgotten are gone at once, and whoever forgets them waits until they have cleaned up', async () => {
    const jobs = new Jobs(new VirtualClock());
    const cleaned = Promise.withResolvers<void>();
    jobs.start('ns/r/save', async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await cleaned.promise;
    });
    await turn();
    let isOver = false;
    const forgotten = jobs.forget('ns/r/').then(() => {
      isOver = true;
    });
    await turn();
    expect([jobs.state('ns/r/save').kind, isOver]).toEqual(['idle', false]);
    cleaned.resolve();
    await forgotten;
  });
});
