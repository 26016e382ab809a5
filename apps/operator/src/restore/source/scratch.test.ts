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

test('what is forgotten goes by how its name begins, finished or not', async () => {
  const scratch = await Scratch.open(directory);
  const one = await scratch.keep('ns/r/uid/1/', 3);
  await one?.write(Buffer.from('one'));
  await one?.finish();
  const half = await scratch.keep('ns/r/uid/2/', 3);
  const other = await scratch.keep('ns/rr/uid/1/', 3);
  await other?.write(Buffer.from('two'));
  await other?.finish();
  await half?.write(Buffer.from('x'));
  await scratch.forget('ns/r/');
  expect(await readdir(directory)).toHaveLength(1);
  expect(await bytesOf(await scratch.read('ns/rr/uid/1/', 3))).toBe('two');
  await half?.drop();
});

test('many at once share a bounded room: who finds none does without, and what is forgotten makes room', async () => {
  const scratch = await Scratch.open(directory);
  const large = 9 * 1024 ** 3;
  const first = await scratch.keep('a', large);
  expect(await scratch.keep('b', large)).toBeUndefined();
  await first?.drop();
  await scratch.forget('a');
  const second = await scratch.keep('b', large);
  expect(second === undefined).toBe(first === undefined);
  await second?.drop();
});

test('a file to read at any place has no name, and takes its room until it is closed', async () => {
  const scratch = await Scratch.open(directory);
  {
    await using file = await scratch.file('a', 100);
    expect(await file?.append(Buffer.from('one'))).toBe(0);
    expect(await file?.append(Buffer.from('two'))).toBe(3);
    expect(Buffer.from((await file?.read(2, 9)) ?? []).toString()).toBe('etwo');
    expect(await readdir(directory)).toEqual([]);
    expect(await scratch.file('a', 100)).toBeUndefined();
  }
  await using again = await scratch.file('a', 100);
  expect(again).toBeDefined();
  expect(await scratch.file('b', Number.MAX_SAFE_INTEGER)).toBeUndefined();
  expect(await (await Scratch.open(undefined)).file('a', 1)).toBeUndefined();
});

test('what an earlier process left is removed, and nothing else', async () => {
  await writeFile(join(directory, 'old.snapshot'), 'x');
  await writeFile(join(directory, 'old.snapshot.part'), 'x');
  await writeFile(join(directory, 'mine.txt'), 'x');
  await Scratch.open(directory);
  expect(await readdir(directory)).toEqual(['mine.txt']);
});
