// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { whenGone } from './registry.ts';

test('a playground that ends is noticed, and waiting for one can be aborted', async () => {
  const child = spawn('/bin/sleep', ['60'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const over = new AbortController();
  const seen: string[] = [];
  const waited = whenGone(child.pid ?? 0, new AbortController().signal).then(() => seen.push('gone'));
  void whenGone(child.pid ?? 0, over.signal).then(() => seen.push('ended early'));
  over.abort();
  expect(seen).toEqual([]);
  child.kill('SIGKILL');
  await ended;
  await waited;
  expect(seen).toEqual(['gone']);
});
