// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@operator-parts/blob';
import type { Manifest } from '../../../storage/manifest.ts';
import { readManifest } from '../../../storage/read-manifest.ts';

/**
 * The manifest of the backup at `key`, if the backup is complete and the EtcdBackup with this UID made it. The status cannot always tell:
 * it holds only the last backup, and it misses a backup that finished just before a crash.
 */
export async function existingBackup(
  store: BlobStore,
  { key, bytes, uid }: { readonly key: string; readonly bytes: number; readonly uid: string },
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  const manifest = await readManifest(store, key, signal);
  if (!manifest || manifest.backup?.uid !== uid || manifest.bytes !== bytes) return undefined;
  // The backup is read to its end, because bytes may have changed since it was made.
  return (await store.settle(key, manifest, { signal })) === 'stored' ? manifest : undefined;
}
