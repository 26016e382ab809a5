// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { MemoryStore, madeBy } from '../../../storage/testing/memory-store.ts';
import { existingBackup } from './existing-backup.ts';

const { signal } = new AbortController();

test('what was made before counts if every byte of it is as the manifest says', async () => {
  const store = new MemoryStore();
  store.seedBackup('only', 'data', { backup: madeBy('mine') });
  const own = { key: 'only', bytes: 4, uid: 'uid-mine' };
  expect(await existingBackup(store, own, signal)).toMatchObject({ backup: { name: 'mine' } });
  expect(await existingBackup(store, { ...own, uid: 'uid-other' }, signal)).toBeUndefined();
  store.seed('only', 'dat4');
  expect(await existingBackup(store, own, signal)).toBeUndefined();
});
