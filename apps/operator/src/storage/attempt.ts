// SPDX-License-Identifier: Apache-2.0
import { type BlobInfo, type BlobStore, isBlobError } from '@operator-parts/blob';
import { type Clock, type Random, systemRandom } from '@operator-parts/ports';
import { stillExists } from './delete-and-verify.ts';
import { endUploads, uploadsRefused } from './end-uploads.ts';
import { manifestPath } from './manifest.ts';
import { findManifest } from './read-manifest.ts';

/** The longest time for a cleanup. What remains is cleaned up before the next attempt. */
const cleanUpMs = 5_000;

export interface AttemptOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** @default systemRandom */
  readonly random?: Random;
  /**
   * True if only this attempt uses the name: then the attempt has replaced no other object, even if the store does not say whether there
   * was one.
   */
  readonly isOwnName: boolean;
  /** UID of the EtcdBackup whose manifest is written beside the object; undefined if there is no manifest. */
  readonly uid?: string;
  /** Called with the reason if leftovers of a failure could not be deleted, or if the store does not say whether there are any. */
  readonly onLeft: (key: string, why: unknown) => void;
}

/** Identifies the objects that an attempt has written. */
export interface OwnWork {
  /** To be set, as metadata, on the objects that the attempt stores. */
  readonly mark: string;
  /** Called with the ETag of the object that the attempt has stored. */
  stored(etag: string | undefined): void;
}

/**
 * Writes below a key so that a failure leaves nothing behind: unfinished uploads are aborted, and the object and its manifest are deleted.
 * They are deleted only if this attempt provably wrote them, because two operators may have chosen the same name. If this attempt replaced
 * another object, the new object is deleted only if it is damaged: the old object is gone, and an object that cannot be read now may still
 * be valid.
 */
export async function attemptTo<T>(
  store: BlobStore,
  key: string,
  { clock, signal, random = systemRandom, isOwnName, uid, onLeft }: AttemptOptions,
  write: (own: OwnWork) => Promise<T>,
): Promise<T> {
  const before = await stateOf(store, key, signal);
  const mark = random.uuid();
  let etag: string | undefined;
  try {
    const stored = (told: string | undefined) => {
      etag = told;
    };
    const written = await write({ mark, stored });
    // A request that was sent twice may have started two uploads, of which one is finished. If the store refuses to abort the other upload,
    // this is not reported: there is no sign of a leftover, and there would be a report after every success.
    await withinLimit(clock, (limit) => store.clear(key, { signal: limit })).catch((why: unknown) => onLeft(key, why));
    return written;
  } catch (error) {
    const isDamaged = isBlobError(error, 'ChecksumMismatch');
    const mayDelete = before === 'absent' || (before === 'unknown' && isOwnName) || isDamaged;
    const work = { before, mark, etag, uid };
    await withinLimit(clock, async (limit) => {
      const uploads = await endUploads(store, key, limit);
      if (mayDelete) await takeBack(store, key, work, limit);
      else if (isOwnName) await refuseOwn(store, key, work, limit);
      if (uploads === 'refused') throw uploadsRefused(key);
    }).catch((why: unknown) => onLeft(key, why));
    throw error;
  }
}

type Before = BlobInfo | 'absent' | 'unknown';

/** A denied request is not an error here: credentials that may store and read objects are not always allowed to read their metadata. */
async function stateOf(store: BlobStore, key: string, signal: AbortSignal): Promise<Before> {
  try {
    return await store.stat(key, { signal });
  } catch (error) {
    if (isBlobError(error, 'NotFound')) return 'absent';
    if (isBlobError(error, 'Denied')) return 'unknown';
    throw error;
  }
}

interface Work {
  readonly before: Before;
  readonly mark: string;
  readonly etag: string | undefined;
  readonly uid: string | undefined;
}

/**
 * Deletes the object and the manifest that this attempt wrote. Rejects if it is unknown who wrote the object: then the object is kept, and
 * checked again before the next attempt.
 */
async function takeBack(store: BlobStore, key: string, work: Work, signal: AbortSignal): Promise<void> {
  const manifest = await findManifest(store, key, signal);
  if (manifest === 'garbled')
    throw new Error(`the manifest of ${key} cannot be read, so the operator cannot tell which EtcdBackup made ${key}`);
  const isOwnManifest = typeof manifest === 'object' && work.uid !== undefined && manifest.backup?.uid === work.uid;
  // The object is a finished backup of another EtcdBackup.
  if (typeof manifest === 'object' && !isOwnManifest) return;
  const now = await stateOf(store, key, signal);
  const isOwn = now === 'absent' ? true : isProven(now, work);
  if (isOwn === undefined)
    throw new Error(
      `the backup store does not report the metadata of ${key}, so the operator cannot tell which EtcdBackup made ${key}`,
    );
  if (!isOwn) return;
  if (now !== 'absent') {
    await store.delete(key, { signal });
    // A store may answer "denied" for objects that do not exist, so the object counts as existing only if the store shows it.
    if (typeof (await stateOf(store, key, signal)) === 'object') throw stillExists(key);
  }
  if (isOwnManifest || (manifest === 'denied' && (await isMarked(store, manifestPath(key), work, signal))))
    await store.delete(manifestPath(key), { signal });
}

/**
 * Rejects if the store had an object with this key before the attempt, and the present object may be from this attempt. The key then stays
 * in the status.
 */
async function refuseOwn(store: BlobStore, key: string, work: Work, signal: AbortSignal): Promise<void> {
  const now = await stateOf(store, key, signal);
  if (now === 'absent' || isProven(now, work) === false) return;
  throw new Error(
    `object ${key} was in the backup store before the failed attempt, which may have overwritten it. The object is not deleted: check it before you use it`,
  );
}

/** True if this attempt wrote the object. Undefined if the store keeps no metadata and the ETag is unknown. */
function isProven(now: BlobInfo | 'unknown', { before, mark, etag }: Work): boolean | undefined {
  if (now === 'unknown') return undefined;
  if (now.mark !== undefined) return now.mark === mark;
  if (typeof before === 'object' && now.etag === before.etag) return false;
  return etag === undefined || now.etag === undefined ? undefined : now.etag === etag;
}

async function isMarked(store: BlobStore, key: string, { mark }: Work, signal: AbortSignal): Promise<boolean> {
  const now = await stateOf(store, key, signal);
  return typeof now === 'object' && now.mark === mark;
}

export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';

  constructor() {
    super(`the backup store did not finish the deletion within ${cleanUpMs / 1000} s`);
  }
}

/** Runs a cleanup with its own time limit, because the limit of the attempt may have expired. */
export async function withinLimit<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = clock.schedule(cleanUpMs, () => {
    const error = new OutOfTime();
    over.abort(error);
    reject(error);
  });
  try {
    // A store that no longer responds may also ignore the abort.
    return await Promise.race([work(over.signal), promise]);
  } finally {
    timer.cancel();
  }
}
