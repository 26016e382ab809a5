// SPDX-License-Identifier: Apache-2.0
import { type BlobInfo, type BlobStore, isBlobError } from '@etcd-operator/blob';
import { type Clock, type Random, systemRandom } from '@etcd-operator/ports';
import { stillThere } from './delete-surely.ts';
import { endUploads, uploadsRefused } from './end-uploads.ts';
import { manifestPath } from './manifest.ts';
import { findManifest } from './read-manifest.ts';

/** Cleaning up must not keep anybody waiting for longer; what is not done then is done before the next attempt. */
const cleanUpMs = 5_000;

export interface AttemptOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** @default the system's */
  readonly random?: Random;
  /** The name is of this attempt alone: what it has written there takes the place of nothing, also where the store does not say so. */
  readonly isOwnName: boolean;
  /** Of the EtcdBackup whose manifest is written beside it; undefined: none is. */
  readonly uid?: string;
  /** Called if what a failure left could not be deleted, with the reason; also if the store does not say whether anything is left. */
  readonly onLeft: (key: string, why: unknown) => void;
}

/** By which an attempt recognizes what it has written itself. */
export interface OwnWork {
  /** For its puts. */
  readonly mark: string;
  /** Called with the ETag of the object that it has stored. */
  stored(etag: string | undefined): void;
}

/**
 * Writes below a key, so that a failure leaves nothing: unfinished uploads are ended, and the object and its manifest are deleted,
 * if they are proven to be what this attempt has written: two operators may have chosen the same name. An object that this attempt put in
 * the place of another one is deleted only if it is damaged: the other one is gone, and what cannot be read at the moment may be sound.
 */
export async function attemptTo<T>(
  store: BlobStore,
  key: string,
  { clock, signal, random = systemRandom, isOwnName, uid, onLeft }: AttemptOptions,
  write: (own: OwnWork) => Promise<T>,
): Promise<T> {
  const before = await look(store, key, signal);
  const mark = random.uuid();
  let etag: string | undefined;
  try {
    const stored = (told: string | undefined) => {
      etag = told;
    };
    const written = await write({ mark, stored });
    // A request that came twice has begun two uploads, of which one is finished. Where the store refuses this, nothing is known to be left:
    // what would be noted after each success is no news.
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

/** Not to be let in is no reason to stop: who may store and read need not be allowed to look. */
async function look(store: BlobStore, key: string, signal: AbortSignal): Promise<Before> {
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

/** Rejects if it is not known whose object it is: then it is kept, and checked again before the next attempt. */
async function takeBack(store: BlobStore, key: string, work: Work, signal: AbortSignal): Promise<void> {
  const manifest = await findManifest(store, key, signal);
  if (manifest === 'garbled')
    throw new Error(`it is not known which EtcdBackup ${key} belongs to: its manifest cannot be read`);
  const isOwnManifest = typeof manifest === 'object' && work.uid !== undefined && manifest.backup?.uid === work.uid;
  // Another EtcdBackup has finished a backup there.
  if (typeof manifest === 'object' && !isOwnManifest) return;
  const now = await look(store, key, signal);
  const isOwn = now === 'absent' ? true : isProven(now, work);
  if (isOwn === undefined)
    throw new Error(`it is not known which EtcdBackup ${key} belongs to: the store does not report its metadata`);
  if (!isOwn) return;
  if (now !== 'absent') {
    await store.delete(key, { signal });
    // A store may say "denied" of what is not there: only what it shows is still there.
    if (typeof (await look(store, key, signal)) === 'object') throw stillThere(key);
  }
  if (isOwnManifest || (manifest === 'denied' && (await isMarked(store, manifestPath(key), work, signal))))
    await store.delete(manifestPath(key), { signal });
}

/** Rejects if what this attempt has written, or may have, lies where something is said to have been before: it is not forgotten. */
async function refuseOwn(store: BlobStore, key: string, work: Work, signal: AbortSignal): Promise<void> {
  const now = await look(store, key, signal);
  if (now === 'absent' || isProven(now, work) === false) return;
  throw new Error(
    `${key} may be left from a failed attempt. It is not deleted, because the store already had an object with this key before the attempt`,
  );
}

/** Undefined if the store keeps no metadata and the ETag is not known. */
function isProven(now: BlobInfo | 'unknown', { before, mark, etag }: Work): boolean | undefined {
  if (now === 'unknown') return undefined;
  if (now.mark !== undefined) return now.mark === mark;
  if (typeof before === 'object' && now.etag === before.etag) return false;
  return etag === undefined || now.etag === undefined ? undefined : now.etag === etag;
}

async function isMarked(store: BlobStore, key: string, { mark }: Work, signal: AbortSignal): Promise<boolean> {
  const now = await look(store, key, signal);
  return typeof now === 'object' && now.mark === mark;
}

export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';

  constructor() {
    super(`the store did not finish the deletion within ${cleanUpMs / 1000} s`);
  }
}

/** With a limit of its own: the attempt's may be what has ended it. */
export async function withinLimit<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = clock.schedule(cleanUpMs, () => {
    const error = new OutOfTime();
    over.abort(error);
    reject(error);
  });
  try {
    // A store that hears nothing any more does not hear this either.
    return await Promise.race([work(over.signal), promise]);
  } finally {
    timer.cancel();
  }
}
