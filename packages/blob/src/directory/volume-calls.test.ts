// SPDX-License-Identifier: Apache-2.0
import { settle } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { VolumeCalls } from './volume-calls.ts';

/** Calls that the test releases one by one. */
function scene(limit: number) {
  const calls = new VolumeCalls(limit);
  const begun: string[] = [];
  const open = new Map<string, () => void>();
  const call = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      open.set(name, () => resolve(name));
    });
  return { calls, begun, call, answer: (name: string) => open.get(name)?.() };
}

test('no more calls than allowed are made at once, the others in their turn', async () => {
  const { calls, begun, call, answer } = scene(2);
  const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => calls.until(undefined)(call(name))));
  await settle();
  expect(begun).toEqual(['a', 'b']);
  answer('b');
  await settle();
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c']) answer(name);
  await settle();
  answer('d');
  expect(await all).toEqual(['a', 'b', 'c', 'd']);
});

test('a caller that aborts gets an answer at once, but its slot is free only when the system has answered', async () => {
  const { calls, begun, call, answer } = scene(1);
  const stop = new AbortController();
  const hung = calls.until(stop.signal)(call('hung'));
  const waiting = calls.until(stop.signal)(call('never made'));
  await settle();
  stop.abort(new Error('enough'));
  await expect(hung).rejects.toThrow('enough');
  await expect(waiting).rejects.toThrow('enough');
  const next = calls.until(undefined)(call('next'));
  await settle();
  expect(begun).toEqual(['hung']);
  answer('hung');
  await settle();
  expect(begun).toEqual(['hung', 'next']);
  answer('next');
  expect(await next).toBe('next');
});

test('what comes too late is undone', async () => {
  const { calls, call, answer } = scene(1);
  const stop = new AbortController();
  const closed: string[] = [];
  const hung = calls.until(stop.signal)(call('handle'), async (handle) => closed.push(handle));
  await settle();
  stop.abort(new Error('enough'));
  await expect(hung).rejects.toThrow('enough');
  answer('handle');
  await settle();
  expect(closed).toEqual(['handle']);
});

test('a call that fails gives its place to the next', async () => {
  const { calls } = scene(1);
  await expect(calls.until(undefined)(() => Promise.reject(new Error('EIO')))).rejects.toThrow('EIO');
  expect(await calls.until(undefined)(async () => 'fine')).toBe('fine');
});
