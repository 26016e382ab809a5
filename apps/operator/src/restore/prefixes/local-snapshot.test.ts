// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boltFile, messages, revisionKey } from '@operator-parts/etcd/testing';
import { seededRandom, systemClock } from '@operator-parts/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Scratch } from '../source/scratch.ts';
import { modelSource } from '../testing/model-source.ts';
import { type Fetch, withLocalSnapshot } from './local-snapshot.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'local-snapshot-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const record = (key: string, value: string) =>
  messages.keyValue.encode({ key: Buffer.from(key), value: Buffer.from(value), version: 1n });
// Values larger than a block, so that they are read only when needed.
const entries = ['a', 'b'].map(
  (key, index) => [revisionKey(BigInt(index + 2)), record(key, key.repeat(200_000))] as const,
);
const bytes = boltFile([{ name: 'key', entries }]);

const fetch: Fetch = async (keep) => {
  const kept = await keep(bytes.byteLength);
  for (let at = 0; at < bytes.byteLength; at += 1_000) await kept?.write(bytes.subarray(at, at + 1_000));
  await kept?.finish();
  return { ...modelSource, bytes: bytes.byteLength };
};

test('the copy can be read until the work is done, lies there encrypted and without a name, and is gone then', async () => {
  const place = { scratch: await Scratch.open(directory), random: seededRandom(1), name: 'r' };
  const found = await withLocalSnapshot(place, fetch, async ({ keys, spill }) => {
    await systemClock.sleep(5);
    expect(await readdir(directory)).toEqual([]);
    const values: string[] = [];
    for await (const key of keys.at({}, spill)) values.push(Buffer.from(await key.value()).toString());
    return values;
  });
  expect(found).toEqual(['a'.repeat(200_000), 'b'.repeat(200_000)]);
  // The reserved space is free again.
  await using again = await place.scratch.file('r', 1);
  expect(again).toBeDefined();
});

test('without a folder a small one is held in memory, and for a large one it says what the operator needs', async () => {
  const nowhere = { scratch: await Scratch.open(undefined), random: seededRandom(1), name: 'r' };
  const found = await withLocalSnapshot(nowhere, fetch, async ({ keys, spill }) => {
    const values: string[] = [];
    for await (const key of keys.at({}, spill)) values.push(Buffer.from(await key.value()).toString());
    return values;
  });
  expect(found).toEqual(['a'.repeat(200_000), 'b'.repeat(200_000)]);
  const large: Fetch = async (keep) => {
    await keep(33 * 1024 * 1024);
    return modelSource;
  };
  await expect(withLocalSnapshot(nowhere, large, async () => undefined)).rejects.toMatchObject({
    code: 'SourceRefused',
    message: expect.stringContaining('-scratch-directory'),
  });
});

test('without room it is tried again', async () => {
  const full = { scratch: await Scratch.open(directory), random: seededRandom(1), name: 'r' };
  await using _other = await full.scratch.file('r', 1);
  await expect(withLocalSnapshot(full, fetch, async () => undefined)).rejects.toMatchObject({ code: 'NotDelivered' });
});
