// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '@operator-parts/blob';
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { attemptTo, type OwnWork } from './attempt.ts';
import { manifestPath } from './manifest.ts';
import { putManifest } from './put-manifest.ts';
import { putVerified } from './put-verified.ts';
import { MemoryStore, madeBy, manifestFor } from './testing/memory-store.ts';

const key = 's_v5_2026-11-16-12:00:00';
const { signal } = new AbortController();
const failure = new BlobError('NoSpace', 'the quota is full');

async function* once(text: string) {
  yield Buffer.from(text);
}

/** An attempt of `mine` that stores the object and then calls `then`. */
async function attempt(store: MemoryStore, then: (own: OwnWork) => Promise<void>) {
  const left: string[] = [];
  const options = { clock: new VirtualClock(), signal, isOwnName: true, uid: 'uid-mine' };
  const done = attemptTo(store, key, { ...options, onLeft: (name) => left.push(name) }, async (own) => {
    own.stored(await putVerified(store, key, once('mine'), { signal, mark: own.mark }));
    await then(own);
  });
  const error = await done.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { left, error };
}

describe.each([true, false])('a failed attempt, where the store keeps marks: %s,', (keepsMarks) => {
  const open = () => Object.assign(new MemoryStore(), { keepsMarks });

  test('takes back what it has written', async () => {
    const store = open();
    const { left, error } = await attempt(store, async () => Promise.reject(failure));
    expect([error, left, store.keys]).toEqual([failure, [], []]);
  });

  test('takes back its manifest', async () => {
    const store = open();
    const made = { ...manifestFor('mine'), backup: madeBy('mine') };
    await attempt(store, async ({ mark }) => {
      await putManifest(store, key, made, { signal, mark });
      throw failure;
    });
    expect(store.keys).toEqual([]);
  });

  test('leaves the backup that another EtcdBackup has finished under the same name', async () => {
    const store = open();
    await attempt(store, async () => {
      store.seedBackup(key, 'theirs', { backup: madeBy('theirs') });
      throw failure;
    });
    expect(store.keys).toEqual([key, manifestPath(key)]);
  });

  test('leaves what another has put in the place of its own, also before that has a manifest', async () => {
    const store = open();
    await attempt(store, async () => {
      await store.put(key, once('theirs'), { mark: 'theirs' });
      throw failure;
    });
    expect(store.keys).toEqual([key]);
  });

  test('leaves its own object under the manifest of another, which says that there is a backup', async () => {
    const store = open();
    await attempt(store, async () => {
      store.seed(manifestPath(key), '');
      const { backup } = { backup: madeBy('theirs') };
      await putManifest(store, key, { ...manifestFor('mine'), backup }, { signal, mark: 'theirs' });
      throw failure;
    });
    expect(store.keys).toEqual([key, manifestPath(key)]);
  });

  test('notes what it cannot tell the owner of, and deletes nothing', async () => {
    const store = open();
    const { left } = await attempt(store, async () => {
      store.seed(manifestPath(key), '<html>');
      throw failure;
    });
    expect([left, store.keys]).toEqual([[key], [key, manifestPath(key)]]);
  });
});

test('what a failed attempt has written is noted if the store says that it has deleted it and shows it still', async () => {
  const store = new MemoryStore();
  store.delete = async () => {};
  expect((await attempt(store, async () => Promise.reject(failure))).left).toEqual([key]);
});

test('what a failed attempt has written is noted where the store says that something was there before', async () => {
  const store = new MemoryStore();
  store.seed(key, 'before, as the backup store says');
  const { left } = await attempt(store, async () => Promise.reject(failure));
  expect([left, store.keys]).toEqual([[key], [key]]);
});

describe('where the store does not let unfinished uploads be ended', () => {
  const refusing = () => Object.assign(new MemoryStore(), { clears: 'refused' as const });

  test('a failed attempt takes back what it has written, and does not pass for cleaned', async () => {
    const store = refusing();
    const { left } = await attempt(store, async () => Promise.reject(failure));
    expect([left, store.keys]).toEqual([[key], []]);
  });

  test('nothing is known to be left of a success', async () => {
    const { left, error } = await attempt(refusing(), async () => {});
    expect([left, error]).toEqual([[], undefined]);
  });
});

test('a failed attempt that may not read takes back what bears its mark', async () => {
  const store = new MemoryStore();
  store.refuse = (call) => (call === 'get' ? 'Denied' : undefined);
  const { left } = await attempt(store, async () => Promise.reject(failure));
  expect([left, store.keys]).toEqual([[], []]);
});

test('where the store refuses reads, what was written is noted, and not deleted unseen', async () => {
  const store = new MemoryStore();
  store.refuse = (call) => (call === 'stat' ? 'Denied' : undefined);
  const { left } = await attempt(store, async () => Promise.reject(failure));
  expect([left, store.keys]).toEqual([[key], [key]]);
});
