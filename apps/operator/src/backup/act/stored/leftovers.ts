// SPDX-License-Identifier: Apache-2.0
import { type BlobStore, isBlobError } from '@operator-parts/blob';
import type { Clock, Logger } from '@operator-parts/ports';
import type { EtcdBackupStatus } from '../../../api/etcd-backup.ts';
import { OutOfTime, withinLimit } from '../../../storage/attempt.ts';
import { deleteAndVerify } from '../../../storage/delete-and-verify.ts';
import { endUploads, uploadsRefused } from '../../../storage/end-uploads.ts';
import { manifestPath, snapshotPath } from '../../../storage/manifest.ts';
import { findManifest } from '../../../storage/read-manifest.ts';
import { faultOf } from '../../backup-fault.ts';
import { parsePeriodicKey, seriesPrefix } from '../../plan/backup-names.ts';
import { manifestDenied } from './prune.ts';

/**
 * Objects that earlier attempts may have left, according to the status: those that could not be deleted, and the object that a crashed
 * process was writing.
 */
export function leftoversOf(status: EtcdBackupStatus | undefined): readonly string[] {
  const { leftovers, progress } = status ?? {};
  return [...new Set([...(leftovers ?? []), ...(progress?.object ? [progress.object] : [])])];
}

/**
 * Users and other programs can write the status too. So only an object at the path in the spec, or with a name of its series, is ever
 * deleted.
 */
export function isOwnKey(base: string, key: string): boolean {
  return key === base || parsePeriodicKey(base, key) !== undefined;
}

/** Makes a call to the store with a time limit. */
type Limited = <T>(call: (signal: AbortSignal) => Promise<T>) => Promise<T>;

export interface LeftoverPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly onLeft: (object: string, why: unknown) => void;
  readonly onRemoved: (object: string) => void;
}

/**
 * Removes what earlier attempts have left. Objects that cannot be removed stay in the status. That does not prevent a backup, because
 * credentials may lack the permission to delete.
 */
export async function removeLeftovers(
  store: BlobStore,
  base: string,
  status: EtcdBackupStatus | undefined,
  { clock, log, onLeft, onRemoved }: LeftoverPorts,
): Promise<void> {
  // Each call has its own time limit, so that a slow store is cleaned too. After one timeout the store is not called again.
  const limited: Limited = (call) => withinLimit(clock, call);
  let isUnreachable = false;
  for (const key of leftoversOf(status)) {
    // The path in the spec was changed, or another program wrote the status. The key stays in status.leftovers, because the object was not
    // removed.
    if (!isOwnKey(base, key)) {
      onLeft(key, new Error(`object ${key} is not below ${base}, the path in the spec`));
      continue;
    }
    try {
      if (isUnreachable) throw new OutOfTime();
      await remove(store, base, key, limited);
      onRemoved(key);
    } catch (error) {
      isUnreachable ||= error instanceof OutOfTime;
      log.info('an object or upload of a failed attempt could not be deleted from the backup store', { key, error });
      onLeft(key, error);
    }
  }
}

/** Why an object stays, and what users can do about it. */
export function whyLeft(error: unknown): string {
  const { reason, message } = faultOf(error);
  const remedy =
    'Allow the credentials to delete objects and to list and abort unfinished uploads. Or delete this object or upload from the backup store yourself.';
  return `${message}. ${reason === 'AccessDenied' ? remedy : 'The operator retries the deletion before the next backup.'}`;
}

/**
 * Removes an object. An object at the path of a single backup stays, because the next attempt replaces it. An object with a manifest is a
 * backup, whatever the status says, and also stays. So does an object whose manifest may exist: reading it is denied, or only one of two
 * requests finds it.
 */
async function remove(store: BlobStore, base: string, key: string, limited: Limited): Promise<void> {
  const uploads = await limited((signal) => endUploads(store, key, signal));
  if (key !== base) await removeUnclaimed(store, key, limited);
  if (uploads === 'refused') throw uploadsRefused(key);
}

async function removeUnclaimed(store: BlobStore, key: string, limited: Limited): Promise<void> {
  const manifest = await limited((signal) => findManifest(store, key, signal));
  if (manifest === 'denied') throw manifestDenied(key);
  if (manifest !== 'absent' || (await limited((signal) => isManifestListed(store, key, signal)))) return;
  await limited((signal) => deleteAndVerify(store, key, signal));
}

/** True if the store lists the manifest. If listing is denied, the manifest is read again instead. */
async function isManifestListed(store: BlobStore, key: string, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const listed of store.list(manifestPath(key), { signal }))
      if (listed.key === manifestPath(key)) return true;
    return false;
  } catch (error) {
    if (!isBlobError(error, 'Denied')) throw error;
    return (await findManifest(store, key, signal)) !== 'absent';
  }
}

/** No attempt lasts longer than a week, so the process that began an older upload is no longer writing it. */
const longestUploadMs = 8 * 24 * 3_600_000;

/**
 * Aborts old unfinished uploads of the series, including uploads that the status does not list. Such uploads cost money and are invisible
 * to users.
 */
export async function sweepSeries(
  store: BlobStore,
  base: string,
  { clock, log }: Pick<LeftoverPorts, 'clock' | 'log'>,
): Promise<void> {
  try {
    const before = clock.now() - longestUploadMs;
    // Other series and unrelated objects may start with the same prefix.
    const isOwn = (key: string) => parsePeriodicKey(base, snapshotPath(key)) !== undefined;
    await withinLimit(clock, (signal) => store.sweep(seriesPrefix(base), before, { signal, isOwn }));
  } catch (error) {
    log.info('unfinished uploads of this periodic backup could not be aborted; the stored backups are not affected', {
      error,
    });
  }
}
