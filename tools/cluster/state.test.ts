// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownIdentity } from '../parts/build/process-identity.ts';
import { type Layout, layoutOf } from './layout.ts';
import { readState, runningState, writeState } from './state.ts';

let cache: string;
let layout: Layout;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'etcd-operator-state-'));
  layout = layoutOf('dev', cache);
  mkdirSync(layout.directory, { recursive: true });
});
afterEach(() => rmSync(cache, { recursive: true, force: true }));

test('a cluster runs as long as its first process', async () => {
  expect(runningState(layout)).toBeUndefined();
  const state = { init: ownIdentity(), ready: true, kubernetes: 'kubernetes@1.35' };
  await writeState(layout, state);
  expect(runningState(layout)).toEqual(state);
});

test('a process that has only the same number does not count', async () => {
  await writeState(layout, { init: { ...ownIdentity(), startTime: '1' }, ready: true, kubernetes: 'kubernetes' });
  expect(readState(layout)).toBeDefined();
  expect(runningState(layout)).toBeUndefined();
});

test('one that was started before there was a choice runs the current Kubernetes', () => {
  writeFileSync(layout.stateFile, JSON.stringify({ init: ownIdentity(), ready: true }));
  expect(runningState(layout)).toEqual({ init: ownIdentity(), ready: true, kubernetes: 'kubernetes' });
});

test.each(['', '{', '{}', '{"init":{}}', '[]'])('a file that says "%s" is no state', (words) => {
  writeFileSync(layout.stateFile, words);
  expect(readState(layout)).toBeUndefined();
});
