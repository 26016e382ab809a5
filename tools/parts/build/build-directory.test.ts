// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildMark, createBuildDirectory, removeBuildDirectory, removeLeftovers } from './build-directory.ts';

let parts: string;

beforeEach(async () => {
  parts = await mkdtemp(join(tmpdir(), 'parts-build-'));
});
afterEach(() => rm(parts, { recursive: true, force: true }));

test('what living builders and finished parts have stays; what dead builders left goes', async () => {
  const living = await createBuildDirectory(parts, 'tiny-1.0.0');
  const dead = join(parts, `.building-tiny-1.0.0~${process.pid}.1.0123abcd`);
  const unreadable = join(parts, '.building-of-an-older-make');
  for (const directory of [dead, unreadable, join(parts, 'tiny-1.0.0')]) await mkdir(directory);
  await writeFile(join(dead, 'half'), 'half');
  expect([...(await removeLeftovers(parts))].sort()).toEqual([basename(dead), basename(unreadable)].sort());
  expect((await readdir(parts)).sort()).toEqual([basename(living), 'tiny-1.0.0'].sort());
});

test('a cache that does not exist yet has no leftovers', async () => {
  expect(await removeLeftovers(join(parts, 'none'))).toEqual([]);
});

test('removing a build ends the processes that carry its mark, and no others', async () => {
  const directory = await createBuildDirectory(parts, 'tiny');
  const run = (mark: string) => spawn('sleep', ['60'], { env: { ...process.env, [buildMark]: mark } });
  const marked = run(directory);
  const other = run(`${directory}-other`);
  await Promise.all([once(marked, 'spawn'), once(other, 'spawn')]);
  const end = once(marked, 'exit');
  await removeBuildDirectory(directory);
  expect(await end).toEqual([null, 'SIGKILL']);
  expect(other.exitCode ?? other.signalCode).toBeNull();
  other.kill();
  expect(await readdir(parts)).toEqual([]);
});
