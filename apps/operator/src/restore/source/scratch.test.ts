// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Scratch } from './scratch.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scratch-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function bytesOf(source: AsyncIterable<Uint8Array> | undefined): Promise<string | undefined> {
  if (!source) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test('what was kept to its end is read again, and only then', async () => {
  const scratch = await Scratch.open(directory);
  const kept = await scratch.keep('default/r/1', 6);
  await kept?.write(Buffer.from('one'));
  expect(await bytesOf(await scratch.read('default/r/1', 3))).toBeUndefined();
  await kept?.write(Buffer.from('two'));
  await kept?.finish();
  expect(await bytesOf(await scratch.read('default/r/1', 6))).toBe('onetwo');
  expect(await scratch.read('default/r/1', 7)).toBeUndefined();
  await scratch.forget('default/r/1');
  expect(await readdir(directory)).toEqual([]);
});

test('what is dropped leaves nothing', async () => {
  const scratch = await Scratch.open(directory);
  const kept = await scratch.keep('a', 3);
  await kept?.write(Buffer.from('one'));
  await kept?.drop();
  await kept?.write(Buffer.from('two'));
  await kept?.finish();
  expect(await readdir(directory)).toEqual([]);
});

test('nothing is kept without a folder, or without room', async () => {
  const nowhere = await Scratch.open(undefined);
  expect(await nowhere.keep('a', 1)).toBeUndefined();
  expect(await nowhere.read('a', 1)).toBeUndefined();
  const scratch = await Scratch.open(directory);
  expect(await scratch.keep('a', Number.MAX_SAFE_INTEGER)).toBeUndefined();
});

test('what an earlier process left is removed, and nothing else', async () => {
  await writeFile(join(directory, 'old.snapshot'), 'x');
  await writeFile(join(directory, 'old.snapshot.part'), 'x');
  await writeFile(join(directory, 'mine.txt'), 'x');
  await Scratch.open(directory);
  expect(await readdir(directory)).toEqual(['mine.txt']);
});
