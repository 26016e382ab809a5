// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@etcd-operator/blob';
import type { Client } from '@etcd-operator/kube';
import type { EtcdBackup } from '../api/etcd-backup.ts';
import { openStore, type StorageSettings } from '../storage/open-store.ts';
import { readManifest } from '../storage/read-manifest.ts';
import { secretReader } from '../storage/secret-reader.ts';
import type { BackupOrder } from './backup-order.ts';
import { deleteBackup, seriesOf } from './take/prune.ts';

/**
 * Deletes the stored backups of an object that goes: those whose manifest names this very object, and nothing else. Resolves
 * with how many there were.
 */
export async function deleteStored(
  backup: EtcdBackup,
  order: BackupOrder,
  client: Client,
  settings: StorageSettings,
  signal: AbortSignal,
): Promise<number> {
  const { namespace = '', uid = '' } = backup.metadata ?? {};
  const readSecret = secretReader(client, namespace, signal);
  const request = { type: order.place.type, sources: backup.spec, namespace, readSecret };
  const { store, place } = await openStore(request, settings);
  try {
    const series = await seriesOf(store, place.key, signal);
    const keys = [place.key, ...series.map(({ key }) => key)];
    let deleted = 0;
    for (const key of keys) {
      if (!(await isOf(store, key, uid, signal))) continue;
      await deleteBackup(store, key, signal);
      deleted += 1;
    }
    return deleted;
  } finally {
    store.close();
  }
}

async function isOf(store: BlobStore, key: string, uid: string, signal: AbortSignal): Promise<boolean> {
  const manifest = await readManifest(store, key, signal);
  return manifest?.backup?.uid === uid;
}
