// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@etcd-operator/ports';
import { describe, expect, test } from 'vitest';
import { Turns } from '../backup/take/turns.ts';
import { type JobContext, Jobs } from './jobs.ts';

/** Work that goes on until it is told what it came to, or to end. */
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
    const turns = new Turns(2);
    const pieces = ['a', 'b', 'c', 'd'].map((name) => ({ name, ...piece() }));
    for (const { name, work } of pieces) jobs.start(name, work, turns);
    await turn();
    const kinds = () => pieces.map(({ name }) => jobs.state(name).kind);
    expect(kinds()).toEqual(['running', 'running', 'waiting', 'waiting']);
    expect(jobs.state('c')).toEqual({ kind: 'waiting', ahead: 2 });
    pieces[1]?.finish('read');
    await turn();
    expect(kinds()).toEqual(['running', 'done', 'running', 'waiting']);
    // One that nobody waits for any more gives its turn to the next.
    jobs.forget('a');
    await turn();
    expect(kinds()).toEqual(['idle', 'done', 'running', 'running']);
    expect(ended).toEqual(['b']);
  });

  test('that wait for their turn are begun once, however often they are asked for', async () => {
    const jobs = new Jobs(new VirtualClock());
    const turns = new Turns(1);
    const [first, second] = [piece(), piece()];
    jobs.start('a', first.work, turns);
    await turn();
    for (let look = 0; look < 3; look++) jobs.start('b', second.work, turns);
    first.finish('');
    await turn();
    expect(turns.taken).toBe(1);
    second.finish('');
    await turn();
    expect(turns.taken).toBe(0);
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
    await turn();
    expect(jobs.state('a')).toMatchObject({ kind: 'failed', failingFor: 5_000 });
  });

  test('of an earlier spec end when the spec has changed', async () => {
    const jobs = new Jobs(new VirtualClock());
    const [before, now] = [piece(), piece()];
    jobs.start('ns/r/uid/1/verify', before.work);
    jobs.start('ns/r/uid/2/verify', now.work);
    jobs.forget('ns/r/', 'ns/r/uid/2/');
    await turn();
    expect(before.reason()).toBeDefined();
    expect(jobs.state('ns/r/uid/1/verify').kind).toBe('idle');
    expect(jobs.state('ns/r/uid/2/verify').kind).toBe('running');
  });
});
