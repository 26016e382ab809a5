// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { BlobError, isBlobError } from '../blob-error.ts';
import type { BodySummary, PutProof, Settled, SettleOptions } from '../blob-store.ts';
import type { Attempts } from '../call/attempts.ts';
import { readBlob } from '../read/read-blob.ts';
import type { ObjectFacts, StoreDriver } from '../store-driver.ts';
import type { Stored } from './part-driver.ts';

/** The dependencies of a verification. */
export interface ProveContext {
  readonly driver: Pick<StoreDriver<unknown>, 'read' | 'stat' | 'remove' | 'confirm'>;
  readonly attempts: Attempts;
}

/** The expected object: what was sent, its key, and its mark. */
export interface Sent extends BodySummary {
  readonly key: string;
  readonly mark: string;
}

/** A difference may have occurred while reading back; if it occurs twice, it is in the store. */
const mostReads = 2;

/**
 * Verifies that the object under the key is the one that this put has sent: it belongs to this put, has the full
 * length, and is verified by the store's checksum or, unless disabled, by reading it. If the object belongs to this put
 * but differs, it is deleted.
 */
export async function prove(
  context: ProveContext,
  sent: Sent,
  stored: Stored,
  { readBack, signal }: { readonly readBack: boolean; readonly signal: AbortSignal | undefined },
): Promise<PutProof> {
  const found = await look(context, sent, stored, signal);
  const isSuspect = stored.checksum === 'other' || (found !== undefined && found.bytes !== sent.bytes);
  if (stored.checksum === 'same' && !isSuspect) return 'checksum';
  if (!readBack && !isSuspect) return 'none';
  let read: BodySummary | undefined;
  for (let reads = 1; reads <= mostReads; reads++) {
    read = await summaryOf(context, sent.key, signal).catch(unlessDenied);
    if (!read && !isSuspect) return 'none';
    if (read && isSame(read, sent)) return 'read-back';
  }
  // An object that is not known to belong to this put is not deleted: it may be the previous object.
  const isWithdrawn = read !== undefined && found !== undefined && isOurs(found, sent.mark, stored.etag) === true;
  throw await damaged(context, sent.key, isWithdrawn, signal);
}

/** Throws if the store does not show that an object which was just stored has the requested protection. */
export async function confirm(
  { driver, attempts }: ProveContext,
  key: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!driver.confirm) return;
  await attempts.run({ what: `reading the lock of ${key}` }, signal, async (limited) => driver.confirm?.(key, limited));
}

/** Compares the object under a key with the expected one. */
export async function settled(
  context: ProveContext,
  key: string,
  expected: BodySummary,
  { isNew = false, signal }: SettleOptions,
): Promise<Settled> {
  const what = `reading the metadata of ${key}`;
  try {
    const found = await context.attempts
      .run({ what }, signal, (limited) => context.driver.stat(key, limited))
      .catch(unlessDenied);
    if (found && found.bytes !== expected.bytes) return 'different';
    if (!isSame(await summaryOf(context, key, signal), expected)) return 'different';
    if (isNew) await confirm(context, key, signal);
    return 'stored';
  } catch (error) {
    if (isBlobError(error, 'NotFound')) return 'absent';
    throw error;
  }
}

/** True if the object belongs to the put with this mark or ETag. Undefined if the store reports neither. */
export function isOurs(found: ObjectFacts, mark: string, etag: string | undefined): boolean | undefined {
  if (found.mark !== undefined) return found.mark === mark;
  return etag === undefined || found.etag === undefined ? undefined : found.etag === etag;
}

/** The metadata of the object, which must belong to this put. Undefined if the credentials do not allow reading it. */
async function look(
  { driver, attempts }: ProveContext,
  { key, mark }: Sent,
  { etag }: Stored,
  signal: AbortSignal | undefined,
): Promise<ObjectFacts | undefined> {
  const lost = (problem: string) =>
    new BlobError('Unavailable', `the backup store confirmed the upload of ${key}, but ${problem}`);
  const found = attempts.run({ what: `reading the metadata of ${key}` }, signal, async (limited) => {
    const facts = await driver.stat(key, limited).catch((error: unknown) => {
      // Not every store shows a new object at once: this error is retried.
      throw attempts.error(error, `reading the metadata of ${key}`, undefined).code === 'NotFound'
        ? lost('the object does not exist')
        : error;
    });
    if (isOurs(facts, mark, etag) === false) throw lost('a different object has this name');
    return facts;
  });
  return found.catch(unlessDenied);
}

async function summaryOf(context: ProveContext, key: string, signal: AbortSignal | undefined): Promise<BodySummary> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readBlob(context, key, { offset: 0 }, signal)) {
    hash.update(chunk);
    bytes += chunk.byteLength;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** The error for an object that differs from what was sent. Deletes the object if it is known to belong to this put. */
async function damaged(
  { driver, attempts }: ProveContext,
  key: string,
  isWithdrawn: boolean,
  signal: AbortSignal | undefined,
): Promise<BlobError> {
  const message = `the object ${key} in the backup store differs from the data that was sent`;
  if (!isWithdrawn)
    return new BlobError(
      'ChecksumMismatch',
      `${message}. It is not deleted, because the backup store does not report who wrote it`,
    );
  try {
    await attempts.run({ what: `deleting ${key}` }, signal, (limited) => driver.remove(key, limited));
    return new BlobError('ChecksumMismatch', `${message}. The object was deleted`);
  } catch (cause) {
    return new BlobError('ChecksumMismatch', `${message}, and it could not be deleted. Delete this object`, { cause });
  }
}

function isSame(one: BodySummary, other: BodySummary): boolean {
  return one.bytes === other.bytes && one.sha256 === other.sha256;
}

function unlessDenied(error: unknown): undefined {
  if (!isBlobError(error, 'Denied')) throw error;
  return undefined;
}
