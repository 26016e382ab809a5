// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@etcd-operator/blob';
import type { Manifest } from '../../../storage/manifest.ts';
import { readManifest } from '../../../storage/read-manifest.ts';

/**
 * The manifest of a backup that lies at `key`, if it is whole and the EtcdBackup with this UID made it. The status of that object
 * cannot always tell: it knows the last backup alone, and nothing of one that was finished just before a crash.
 */
export async function madeBefore(
  store: BlobStore,
  { key, bytes, uid }: { readonly key: string; readonly bytes: number; readonly uid: string },
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  const manifest = await readManifest(store, key, signal);
  if (!manifest || manifest.backup?.uid !== uid || manifest.bytes !== bytes) return undefined;
  // Read to its end: a byte may have changed since.
  return (await store.settle(key, manifest, { signal })) === 'stored' ? manifest : undefined;
}
