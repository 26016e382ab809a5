// SPDX-License-Identifier: Apache-2.0
import { type BlobStore, isBlobError } from '@operator-parts/blob';
import type { Client } from '@operator-parts/kube';
import type { EtcdBackup } from '../../../api/etcd-backup.ts';
import type { SegmentName } from '../../../changes/segment-names.ts';
import { endUploads } from '../../../storage/end-uploads.ts';
import { manifestPath } from '../../../storage/manifest.ts';
import { openStore, type StorageSettings } from '../../../storage/open-store.ts';
import { findManifest } from '../../../storage/read-manifest.ts';
import { secretReader } from '../../../storage/secret-reader.ts';
import { deleteSegments, pruneSegments } from '../../continuous/prune-segments.ts';
import type { BackupOrder } from '../../observe/backup-order.ts';
import { isOfName } from '../../plan/backup-names.ts';
import { isOwnKey, leftoversOf } from './leftovers.ts';
import { deleteBackup } from './prune.ts';

/** Result of deleting the stored backups of an EtcdBackup that is being deleted. */
export interface DeletedStored {
  readonly deleted: readonly string[];
  /** Objects that were not deleted. */
  readonly kept: readonly KeptObject[];
}

interface DeletedFrom extends DeletedStored {
  /** Cluster IDs of the deleted backups, from their manifests. */
  readonly clusterIds: ReadonlySet<string>;
}

interface KeptObject {
  readonly key: string;
  /**
   * `notOurs`: the manifest is missing or names another EtcdBackup. `denied`: reading the manifest is denied. `locked`: the store has
   * locked the backup. `uploadsRefused`: there may still be unfinished uploads.
   */
  readonly why: 'notOurs' | 'denied' | 'locked' | 'uploadsRefused';
}

/**
 * Deletes the stored backups of an EtcdBackup that is being deleted: those with its UID in the manifest, and leftovers of its failed
 * attempts. Nothing else is deleted; other objects at the path are reported.
 */
export async function deleteStored(
  backup: EtcdBackup,
  order: BackupOrder,
  client: Client,
  settings: StorageSettings,
  signal: AbortSignal,
): Promise<DeletedStored> {
  const { namespace = '' } = backup.metadata ?? {};
  const readSecret = secretReader(client, namespace, signal, settings);
  const request = { type: order.place.type, sources: backup.spec, namespace, readSecret };
  const { store, place } = await openStore(request, settings);
  try {
    const stored = await deleteFrom(store, place.key, backup, signal);
    if (order.continuous) await deleteChanges(store, place.key, stored, signal);
    return stored;
  } finally {
    store.close();
  }
}

/**
 * Deletes recorded changes. If backups remain, only the changes that the listed backups do not need are deleted; if the listing then shows
 * no backup, nothing is deleted. If no backup remains, the changes of the deleted backups' clusters are deleted, and no other changes.
 */
export async function deleteChanges(
  store: BlobStore,
  base: string,
  stored: Pick<DeletedFrom, 'kept' | 'clusterIds'>,
  signal: AbortSignal,
): Promise<void> {
  // No fence is needed here: the store itself refuses requests when the lease is lost.
  const fence = () => undefined;
  const isSurplus = ({ clusterId }: SegmentName) => stored.clusterIds.has(clusterId);
  if (stored.kept.length > 0) await pruneSegments(store, base, fence, signal);
  else await deleteSegments(store, base, { isSurplus, fence }, signal);
}

/**
 * Deletes the stored backups like `deleteStored`, but in a store that is already open, and without the recorded changes. @param base the
 * key that the spec names
 */
export async function deleteFrom(
  store: BlobStore,
  base: string,
  { metadata, status }: Pick<EtcdBackup, 'metadata' | 'status'>,
  signal: AbortSignal,
): Promise<DeletedFrom> {
  const { uid = '' } = metadata ?? {};
  const left = new Set(leftoversOf(status).filter((key) => isOwnKey(base, key)));
  const kept: KeptObject[] = [];
  const deleted: string[] = [];
  const owned = new Map<string, string | undefined>();
  for (const key of await keysOf(store, base, signal)) {
    const manifest = await findManifest(store, key, signal);
    // An object without a manifest at the path of a single backup may be older than our first attempt, so it is not deleted.
    const isLeft = manifest === 'absent' && left.has(key) && key !== base;
    const own = ownCluster(base, key, uid, manifest);
    owned.set(key, own);
    if (manifest === 'denied') kept.push({ key, why: 'denied' });
    else if (own === undefined && !isLeft) kept.push({ key, why: 'notOurs' });
    else if (await isDeleted(store, key, signal)) deleted.push(key);
    else kept.push({ key, why: 'locked' });
  }
  for (const key of left)
    if ((await endUploads(store, key, signal)) === 'refused') kept.push({ key, why: 'uploadsRefused' });
  return { deleted, kept, clusterIds: new Set(deleted.flatMap((key) => owned.get(key) ?? [])) };
}

/** The cluster ID of a backup; undefined unless its manifest names the EtcdBackup with this UID, and was written for this key. */
function ownCluster(
  base: string,
  key: string,
  uid: string,
  manifest: Awaited<ReturnType<typeof findManifest>>,
): string | undefined {
  const isOwn = typeof manifest === 'object' && manifest.backup?.uid === uid && isOfName(base, key, manifest.time);
  return isOwn ? manifest.clusterId : undefined;
}

/** False if the store has locked the backup. */
async function isDeleted(store: BlobStore, key: string, signal: AbortSignal): Promise<boolean> {
  try {
    await deleteBackup(store, key, signal);
    return true;
  } catch (error) {
    if (isBlobError(error, 'Locked')) return false;
    throw error;
  }
}

/** The keys at the path of the EtcdBackup for which the store lists a backup or a manifest. */
async function keysOf(store: BlobStore, base: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const suffix = manifestPath('');
  for await (const { key } of store.list(base, { signal })) {
    const of = key.endsWith(suffix) ? key.slice(0, -suffix.length) : key;
    if (isOwnKey(base, of)) keys.add(of);
  }
  return keys;
}
