// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { all, bytesOf, chunked, collect } from '../testing/bodies.ts';
import { killMidPut } from '../testing/kill-mid-put.ts';
import { openDirectory } from './open-directory.ts';

const partBytes = 64 * 1024;
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'blob-killed-'));
});
afterEach(() => rm(root, { recursive: true }));

test('a process that is killed in the middle leaves what was there, and the next put cleans up', async () => {
  const store = openDirectory({ root, partBytes });
  await store.put('a/backup', chunked(Buffer.from('good')));
  await killMidPut({ kind: 'directory', root, partBytes }, 'a/backup', partBytes);
  expect((await collect(store.get('a/backup'))).toString()).toBe('good');
  expect((await all(store.list(''))).map(({ key }) => key)).toEqual(['a/backup']);
  expect(await readdir(join(root, 'a'))).toHaveLength(2);
  await store.put('a/backup', chunked(bytesOf(partBytes * 3)));
  expect(await readdir(join(root, 'a'))).toEqual(['backup']);
});

test('what was left under a key that is never used again is swept', async () => {
  const store = openDirectory({ root, partBytes });
  await killMidPut({ kind: 'directory', root, partBytes }, 'a/backup_v1_2026', partBytes);
  expect(await store.sweep('a/backup', Date.now() - 3_600_000)).toBe(0);
  expect(await store.sweep('a/backup', Date.now() + 60_000)).toBe(1);
  expect(await readdir(root, { recursive: true })).toEqual(['a']);
});
