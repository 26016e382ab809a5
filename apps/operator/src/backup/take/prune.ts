// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@etcd-operator/blob';
import { manifestPath } from '../../storage/manifest.ts';
import { type BackupName, parsePeriodicKey, seriesPrefix, surplus } from '../backup-names.ts';

/** All backups of a series, among whatever else is stored there. */
export async function seriesOf(store: BlobStore, base: string, signal: AbortSignal): Promise<readonly BackupName[]> {
  const names: BackupName[] = [];
  for await (const { key } of store.list(seriesPrefix(base), { signal })) {
    const name = parsePeriodicKey(base, key);
    if (name) names.push(name);
  }
  return names;
}

/** Deletes all but the newest `keep` backups of a series. Resolves with how many went. */
export async function prune(
  store: BlobStore,
  base: string,
  keep: number,
  made: string,
  signal: AbortSignal,
): Promise<number> {
  const old = surplus(await seriesOf(store, base, signal), keep, made);
  for (const { key } of old) await deleteBackup(store, key, signal);
  return old.length;
}

/** The manifest goes first: what is left if we are interrupted is a whole backup that is found again. */
export async function deleteBackup(store: BlobStore, key: string, signal: AbortSignal): Promise<void> {
  await store.delete(manifestPath(key), { signal });
  await store.delete(key, { signal });
}
