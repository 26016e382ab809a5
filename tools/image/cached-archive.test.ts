// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cachedArchive } from './cached-archive.ts';
import { type Image, text } from './image.ts';

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'etcd-operator-images-'));
});
afterEach(() => rmSync(cache, { recursive: true, force: true }));

const image = (content: string, name = 'quay.io/a/b:v1'): Image => ({
  names: [name],
  files: [text('/a', content)],
  command: ['/a'],
});

test('an archive is made once', async () => {
  const first = await cachedArchive(image('x'), cache);
  expect(await cachedArchive(image('x'), cache)).toBe(first);
  expect(readdirSync(join(cache, 'images')).length).toBe(1);
});

test('other content takes the place of the old, and of nothing else', async () => {
  const other = await cachedArchive(image('x', 'quay.io/a/b:v10'), cache);
  const old = await cachedArchive(image('x'), cache);
  const now = await cachedArchive(image('y'), cache);
  expect(now).not.toBe(old);
  expect(
    readdirSync(join(cache, 'images'))
      .map((name) => join(cache, 'images', name))
      .sort(),
  ).toEqual([now, other].sort());
});

test('a file of this machine that was written again counts as other content', async () => {
  const source = join(cache, 'source');
  writeFileSync(source, 'one');
  const of = (): Image => ({ ...image(''), files: [{ kind: 'file', path: '/a', content: { source } }] });
  const first = await cachedArchive(of(), cache);
  writeFileSync(source, 'two');
  utimesSync(source, 1, 2);
  expect(await cachedArchive(of(), cache)).not.toBe(first);
});
