// SPDX-License-Identifier: Apache-2.0
import { systemRandom } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { put } from '../../changes/testing/changes.ts';
import { RecordedSeries } from '../../restore/testing/recorded-series.ts';
import type { KeyProvider } from '../../storage/encryption/key-provider.ts';
import { secretKeys } from '../../storage/encryption/secret-keys.ts';
import { MemoryStore } from '../../storage/testing/memory-store.ts';
import { findPosition } from './find-position.ts';

const base = 'folder/etcd';
const { signal } = new AbortController();
const start = Date.parse('2026-11-18T14:00:00Z');
const newKeys = () => secretKeys('k', Buffer.from(systemRandom.bytes(32)).toString('base64'));
const owner = { clusterId: 'abc', backup: { namespace: 'default', name: 'b', uid: 'u' } };

/** A quiet cluster: nothing was changed between its last segment and its newest backup. */
async function quiet(keys: KeyProvider | undefined) {
  const store = new MemoryStore();
  const series = new RecordedSeries(store, base, 'abc', keys);
  await series.snapshot(Buffer.from('first'), 10n, start);
  await series.segment([put(11n, start + 1_000), put(12n, start + 2_000)]);
  await series.snapshot(Buffer.from('second'), 12n, start + 60_000);
  const at = (own: KeyProvider | undefined) =>
    findPosition({ store, base, keys: own, owner }, { current: 12n, minimum: 0n }, signal);
  return { store, series, at };
}

describe('where recording goes on', () => {
  test('is after the last segment', async () => {
    const keys = newKeys();
    expect(await (await quiet(keys)).at(keys)).toMatchObject({ kind: 'found', revision: 12n });
    expect(await (await quiet(undefined)).at(undefined)).toMatchObject({ kind: 'found', revision: 12n });
  });

  test('is nowhere after a backup of another key: a restore has one key, for the backup and for all changes after it', async () => {
    const { at } = await quiet(newKeys());
    expect(await at(newKeys())).toMatchObject({ kind: 'none' });
    expect(await at(undefined)).toMatchObject({ kind: 'none' });
    expect(await (await quiet(undefined)).at(newKeys())).toMatchObject({ kind: 'none' });
  });

  test('is after a backup of the present key', async () => {
    const { at, store } = await quiet(newKeys());
    const keys = newKeys();
    await new RecordedSeries(store, base, 'abc', keys).snapshot(Buffer.from('third'), 12n, start + 120_000);
    expect(await at(keys)).toMatchObject({ kind: 'found', revision: 12n, before: { kind: 'snapshot', revision: 12n } });
  });
});
