// SPDX-License-Identifier: Apache-2.0
import { type BlobInfo, type BlobStore, isBlobError } from '@operator-parts/blob';
import { counted } from '../../../counted.ts';
import { deleteAndVerify, isAbsent } from '../../../storage/delete-and-verify.ts';
import { type Manifest, manifestPath, snapshotPath } from '../../../storage/manifest.ts';
import { readManifest } from '../../../storage/read-manifest.ts';
import { BackupError } from '../../backup-fault.ts';
import { isOfName, parsePeriodicKey, seriesPrefix } from '../../plan/backup-names.ts';
import {
  type InvalidListing,
  type RetentionPolicy,
  retention,
  type SeriesListing,
  seriesIn,
} from '../../plan/retention.ts';

/** Lists the backups of the series of `base`, and ignores other objects there. */
export async function listSeries(
  store: BlobStore,
  base: string,
  signal: AbortSignal,
): Promise<SeriesListing | InvalidListing> {
  const listed: BlobInfo[] = [];
  for await (const info of store.list(seriesPrefix(base), { signal })) {
    if (parsePeriodicKey(base, snapshotPath(info.key))) listed.push(info);
  }
  return seriesIn(base, listed);
}

/** The EtcdBackup and the cluster whose backups belong to a series, read from the manifest of one of its backups. */
export type SeriesOwner = Pick<Manifest, 'backup' | 'clusterId'>;

/**
 * True if a stored backup belongs to the owner's series. A recreated EtcdBackup continues the series of the deleted EtcdBackup of that
 * name.
 */
export function isCounted({ backup, clusterId }: Manifest, owner: SeriesOwner): boolean {
  if (!backup || !owner.backup) return clusterId === owner.clusterId;
  const { namespace, name, uid } = owner.backup;
  return backup.uid === uid || (backup.namespace === namespace && backup.name === name);
}

/**
 * Deletes the backups of a series that the policy does not keep. Backups without a matching manifest and backups of other EtcdBackups are
 * not deleted; resolves with the number of these. Rejects without deleting anything if the listing of the store contradicts itself.
 */
export async function prune(
  store: BlobStore,
  base: string,
  policy: RetentionPolicy & { readonly owner: SeriesOwner },
  signal: AbortSignal,
): Promise<number> {
  const listing = sound(await listSeries(store, base, signal));
  const isOwn = (key: string, manifest: Manifest) =>
    isCounted(manifest, policy.owner) && isOfName(base, key, manifest.time);
  const bytes = await manifestBytes(store, listing, isOwn, signal);
  const { surplus, uncounted } = sound(retention(listing, bytes, policy));
  const locked: string[] = [];
  for (const { key } of surplus) await deleteBackup(store, key, signal).catch(whereLocked(() => locked.push(key)));
  await deleteStrayManifests(store, listing, signal);
  if (locked.length > 0) throw stillLocked(locked);
  return uncounted;
}

/** A locked object does not prevent the deletion of other objects. */
function whereLocked(note: () => void): (error: unknown) => void {
  return (error) => {
    if (!isBlobError(error, 'Locked')) throw error;
    note();
  };
}

function stillLocked(keys: readonly string[]): BackupError {
  const message = `the backup store has locked ${counted(keys.length, 'old backup')} against deletion: ${keys[0]}${keys.length > 1 ? ' and others' : ''}. The operator retries the deletion after the next backup.`;
  return new BackupError('lasting', 'ObjectLocked', message);
}

export function sound<T extends object>(listing: T | InvalidListing): T {
  if (!('problem' in listing)) return listing;
  const message = `${listing.problem}. This listing is not reliable, so no backup is deleted. The backup store is listed again after the next backup.`;
  throw new BackupError('passing', 'ListingUnsound', message);
}

/** How many manifests are read at the same time. */
const readers = 8;

async function manifestBytes(
  store: BlobStore,
  { backups, withManifest }: SeriesListing,
  isOwn: (key: string, manifest: Manifest) => boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const keys = backups.map(({ key }) => key).filter((key) => withManifest.has(key));
  for (let from = 0; from < keys.length; from += readers) {
    const some = keys.slice(from, from + readers);
    const manifests = await Promise.all(some.map((key) => readManifest(store, key, signal, 'denied')));
    for (const [index, key] of some.entries()) {
      const manifest = manifests[index];
      if (manifest === 'denied') throw manifestDenied(key);
      if (manifest && isOwn(key, manifest)) found.set(key, manifest.bytes);
    }
  }
  return found;
}

/** Without permission to read the manifest, it is unknown to which EtcdBackup the backup belongs. */
export function manifestDenied(key: string): BackupError {
  const message = `the backup store denies reading the manifest ${manifestPath(key)}, so the operator cannot tell which EtcdBackup made ${key}. Allow the credentials to read the manifest.`;
  return new BackupError('lasting', 'AccessDenied', message);
}

/** Deletes manifests without a backup. Such a manifest remains if the process ends after it deleted the backup. */
async function deleteStrayManifests(
  store: BlobStore,
  { backups, withManifest }: SeriesListing,
  signal: AbortSignal,
): Promise<void> {
  const present = new Set(backups.map(({ key }) => key));
  for (const key of withManifest) {
    if (present.has(key) || !(await isAbsent(store, key, signal))) continue;
    await store.delete(manifestPath(key), { signal }).catch(whereLocked(() => undefined));
  }
}

/** The manifest is deleted last: while it exists, the next process after a crash knows which EtcdBackup made the backup. */
export async function deleteBackup(store: BlobStore, key: string, signal: AbortSignal): Promise<void> {
  await deleteAndVerify(store, key, signal);
  await store.delete(manifestPath(key), { signal });
}
