// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { type BlobStore, isBlobError } from '@operator-parts/blob';
import type { BackupReason } from '../../../api/reasons.ts';
import { openBackup } from '../../../storage/encryption/backup-reader.ts';
import { EncryptionError } from '../../../storage/encryption/encryption-error.ts';
import type { KeyProvider } from '../../../storage/encryption/key-provider.ts';
import { isAuthentic } from '../../../storage/encryption/manifest-mac.ts';
import { type Manifest, manifestPath } from '../../../storage/manifest.ts';
import { findManifest, readManifest } from '../../../storage/read-manifest.ts';
import { BackupError } from '../../backup-fault.ts';

/** The place of a single backup, and the EtcdBackup that wants to write to it. */
export interface SinglePlace {
  readonly key: string;
  /** The path as users write it. */
  readonly path: string;
  /** UID of the EtcdBackup. */
  readonly uid: string;
}

/**
 * Throws if the place holds a backup that another EtcdBackup made, even a deleted EtcdBackup with the same name: the stored backup may be
 * the only copy of its data. Throws also if the operator cannot find out who made the backup. An object without a manifest is not a backup
 * of ours; it is replaced, as CoreOS etcd-operator did. A single answer of the store does not prove that a place is free, because some
 * answers come from caches.
 */
export async function refusePathInUse(store: BlobStore, place: SinglePlace, signal: AbortSignal): Promise<void> {
  const isThere = await presence(store, place.key, signal);
  const manifest = await findManifest(store, place.key, signal);
  if (manifest === 'absent') return;
  if (manifest === 'denied') {
    if (isThere === 'absent') return;
    if (isThere === 'unknown' && (await mayRead(store, place, signal))) return;
    const words = `path ${place.path} may hold a backup, but the backup store denies reading the manifest of that backup`;
    // If the credentials may neither list nor read, the whole access may be denied, so the reason is another one.
    throw refused(isThere === 'there' ? 'PathOccupied' : 'AccessDenied', words, allowRead);
  }
  if (manifest === 'garbled') {
    const words = `path ${place.path} may hold the backup of another EtcdBackup, because object ${manifestPath(place.key)} is not a valid manifest`;
    throw refused('PathOccupied', words, 'Choose another path, or delete the stored backup and that object.');
  }
  if (manifest.backup?.uid === place.uid) return;
  // A backup whose manifest remains counts as deleted only if reading the backup confirms that.
  if (isThere === 'absent' && (await isUnreadable(store, place.key, signal))) return;
  const words = `path ${place.path} holds the backup that ${ownerOf(manifest)} made at ${manifest.time}. That backup is not overwritten`;
  throw refused('PathOccupied', words, 'Choose another path, or delete the stored backup.');
}

/**
 * Throws if an earlier backup of this EtcdBackup is not encrypted with the key that its spec names now. The stored bytes and the
 * authentication code (MAC) in the manifest show that.
 */
export async function refuseOtherKey(
  store: BlobStore,
  place: SinglePlace,
  { keys, manifest }: { readonly keys: KeyProvider; readonly manifest: Manifest },
  signal: AbortSignal,
): Promise<void> {
  try {
    await openBackup(store, { key: place.key, keys }, signal);
  } catch (error) {
    if (!(error instanceof EncryptionError)) throw error;
    const words = `path ${place.path} holds an earlier backup of this EtcdBackup, and that backup is ${stateOf(error, keys)}`;
    throw refused('PathOccupied', words, 'Choose another path, or delete the stored backup.');
  }
  if (await isAuthentic(manifest, keys, signal)) return;
  const words = `path ${place.path} holds an earlier backup of this EtcdBackup, and its manifest was not authenticated with the key in ${keys.source}`;
  throw refused('PathOccupied', words, 'Choose another path, or delete the stored backup.');
}

function stateOf({ code }: EncryptionError, { source }: KeyProvider): string {
  switch (code) {
    case 'NotEncrypted':
    case 'NoKey':
      return 'not encrypted, although spec.encryption is set';
    case 'WrongKey':
      return `encrypted with a key other than the key in ${source}`;
    case 'Damaged':
      return 'damaged';
  }
}

const allowRead = 'Allow the credentials to read and list objects at this path, or choose another path.';

function refused(reason: BackupReason, words: string, next: string): BackupError {
  return new BackupError('lasting', reason, `${words}. ${next}`);
}

/** Throws if another EtcdBackup has already stored a backup of a series with this key, that is, with the same revision and second. */
export async function refuseNameInUse(store: BlobStore, key: string, uid: string, signal: AbortSignal): Promise<void> {
  const manifest = await readManifest(store, key, signal);
  if (!manifest || manifest.backup?.uid === uid) return;
  const words = `${ownerOf(manifest)} has just stored a backup with the name ${key}. The next attempt uses another name`;
  throw new BackupError('passing', 'PathInUse', words);
}

function ownerOf({ backup }: Manifest): string {
  return backup ? `EtcdBackup ${backup.namespace}/${backup.name}` : 'an unknown EtcdBackup';
}

async function presence(store: BlobStore, key: string, signal: AbortSignal): Promise<'there' | 'absent' | 'unknown'> {
  try {
    await store.stat(key, { signal });
    return 'there';
  } catch (error) {
    if (isBlobError(error, 'NotFound')) return 'absent';
    if (isBlobError(error, 'Denied')) return 'unknown';
    throw error;
  }
}

/**
 * Without permission to list, S3 also answers "denied" for objects that do not exist. This function writes a test object: if it can be
 * read, "denied" means that the requested object does not exist.
 */
async function mayRead(store: BlobStore, { key, uid }: SinglePlace, signal: AbortSignal): Promise<boolean> {
  const probe = `${key}.${uid}.readable`;
  try {
    await store.put(probe, Readable.from([Buffer.from('x')]), { signal, readBack: false, isUnlocked: true });
    for await (const _piece of store.get(probe, { offset: 0, length: 1 }, { signal })) return true;
    return false;
  } catch (error) {
    if (isBlobError(error, 'Denied')) return false;
    throw error;
  } finally {
    await store.delete(probe, { signal }).catch(() => undefined);
  }
}

async function isUnreadable(store: BlobStore, key: string, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const _piece of store.get(key, { offset: 0, length: 1 }, { signal })) return false;
    return false;
  } catch (error) {
    if (isBlobError(error, 'NotFound')) return true;
    throw error;
  }
}

/** Where a backup will be written: the store and the key. */
export interface WritePlace {
  /** Server of the store. */
  readonly server: string;
  readonly location: string;
  readonly key: string;
  /** As users write it. */
  readonly path: string;
  /**
   * The namespace of the EtcdBackup, if the store has not accepted its credentials yet. The place is then reserved only against other
   * EtcdBackups of this namespace.
   */
  readonly namespace?: string;
}

/**
 * The places that backups are being written to. If two single backups have the same place, the second waits and then finds it occupied. If
 * two series have the same place, the second waits, so that they never choose the same name.
 */
export class PlacesInUse {
  readonly #places = new Set<string>();

  /** Reserves a place until the returned value is disposed of. Throws if another run has reserved it. */
  take({ server, location, key, path, namespace = '' }: WritePlace): Disposable {
    const place = JSON.stringify([server, location, key, namespace]);
    if (this.#places.has(place))
      throw new BackupError(
        'passing',
        'PathInUse',
        `another EtcdBackup is writing to ${path} now. The operator retries this backup automatically`,
      );
    this.#places.add(place);
    return { [Symbol.dispose]: () => this.#places.delete(place) };
  }
}
