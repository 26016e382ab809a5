// SPDX-License-Identifier: Apache-2.0
import { silentLogger, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { uploadsRefused } from '../../../storage/end-uploads.ts';
import { manifestPath } from '../../../storage/manifest.ts';
import { MemoryStore, madeBy } from '../../../storage/testing/memory-store.ts';
import { removeLeftovers, whyLeft } from './leftovers.ts';

const key = 's_v5_2026-11-16-12:00:00';

async function remove(store: MemoryStore, leftovers: readonly string[] = [key], clock = new VirtualClock()) {
  const [left, removed]: [string[], string[]] = [[], []];
  const told = { onLeft: (name: string) => left.push(name), onRemoved: (name: string) => removed.push(name) };
  await removeLeftovers(store, 's', { leftovers: [...leftovers] }, { clock, log: silentLogger, ...told });
  return { left, removed };
}

function withBackup(): MemoryStore {
  const store = new MemoryStore();
  store.seedBackup(key, 'data', { backup: madeBy('mine') });
  return store;
}

describe('what is noted as left by a failed attempt', () => {
  test('is removed if it has no manifest', async () => {
    const store = new MemoryStore();
    store.seed(key, 'data');
    expect(await remove(store)).toEqual({ left: [], removed: [key] });
    expect(store.keys).toEqual([]);
  });

  test('stays if its manifest cannot be read as one', async () => {
    const store = withBackup();
    store.garble = () => Buffer.from('<html>');
    await remove(store);
    expect(store.keys).toEqual([key, manifestPath(key)]);
  });

  test('stays if only reading says that it has no manifest, and listing names one', async () => {
    const store = withBackup();
    store.refuse = (call) => (call === 'get' ? 'NotFound' : undefined);
    await remove(store);
    expect(store.keys).toEqual([key, manifestPath(key)]);
  });

  test('is removed by two reads where listing is denied', async () => {
    const store = withBackup();
    let reads = 0;
    store.refuse = (call) => {
      if (call === 'list') return 'Denied';
      return call === 'get' && ++reads === 1 ? 'NotFound' : undefined;
    };
    await remove(store);
    expect(store.keys).toContain(key);
    store.objects.delete(manifestPath(key));
    await remove(store);
    expect(store.keys).toEqual([]);
  });

  test.each(['s', key])('stays noted if the store does not let unfinished uploads to %s be ended', async (name) => {
    const store = Object.assign(new MemoryStore(), { clears: 'refused' as const });
    store.seed(key, 'data');
    expect(await remove(store, [name])).toEqual({ left: [name], removed: [] });
    expect(store.keys).toEqual(name === key ? [] : [key]);
  });

  test('stays noted if the store says that it has deleted it and shows it still', async () => {
    const store = new MemoryStore();
    store.seed(key, 'data');
    store.delete = async () => {};
    expect(await remove(store)).toEqual({ left: [key], removed: [] });
  });

  test('is removed by a slow store, each of whose answers comes in time', async () => {
    const clock = new VirtualClock();
    const store = new MemoryStore();
    store.seed(key, 'data');
    const { delete: remember, stat } = store;
    store.delete = async (name) => clock.sleep(3_000).then(() => remember.call(store, name));
    store.stat = async (name) => stat.call(store, name);
    store.clear = async () => clock.sleep(2_000).then(() => 'cleared' as const);
    const removing = remove(store, [key], clock);
    await clock.advance(30_000);
    expect(await removing).toEqual({ left: [], removed: [key] });
  });

  test('of a store that does not answer, it is asked once', async () => {
    const clock = new VirtualClock();
    const store = new MemoryStore();
    let asked = 0;
    store.clear = () => {
      asked += 1;
      return new Promise(() => {});
    };
    const other = 's_v6_2026-11-16-12:00:00';
    const removing = remove(store, [key, other], clock);
    await clock.advance(30_000);
    expect([await removing, asked]).toEqual([{ left: [key, other], removed: [] }, 1]);
  });

  test('is said to people with what to do, if the store refuses', () => {
    expect(whyLeft(uploadsRefused('s'))).toBe(
      'the credentials may not list or abort unfinished uploads of s. Allow the credentials to delete objects and to list and abort unfinished uploads. Or delete this object or upload from the backup store yourself.',
    );
    expect(whyLeft(new Error('not done within 5 s'))).toBe(
      'not done within 5 s. The operator retries the deletion before the next backup.',
    );
  });

  test('of another path stays noted: it has not been removed', async () => {
    const other = 'old_v5_2026-11-16-12:00:00';
    expect(await remove(new MemoryStore(), [other])).toEqual({ left: [other], removed: [] });
  });
});
