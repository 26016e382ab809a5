// SPDX-License-Identifier: Apache-2.0
import { isEtcdError, type TxnResponse } from '@operator-parts/etcd';
import { counted } from '../../counted.ts';
import type { UnsavedKeys, WrittenPrefixes } from '../observation.ts';
import { RestoreError } from '../restore-error.ts';
import { batches, type ReadyWrite, transactionOf } from './batches.ts';
import { type ClusterAndBackup, differences, presentRevision } from './cluster-and-backup.ts';
import { type DatabaseSpace, whyNoSpace } from './database-space.ts';
import { type KeyWrite, named, writeOf } from './key-write.ts';
import { type Since, Tally } from './tally.ts';

export interface WriteOptions {
  /** The comparison that the cluster must still match; undefined to overwrite changes of other clients. */
  readonly since: Since | undefined;
  /**
   * The revision of the safety snapshot. Keys that other clients have changed after this revision are not overwritten. Undefined if no
   * snapshot was taken.
   */
  readonly savedUpTo?: bigint | undefined;
  /** How many keys were to be written at the comparison. */
  readonly total: number;
  /** Room in the cluster's database; undefined if it is not known. */
  readonly space?: DatabaseSpace | undefined;
  /** Throws if no more keys may be written. Called before each transaction. */
  readonly mayWrite: () => void;
  /** Called with the number of keys written so far, including earlier attempts. */
  readonly onProgress: (keys: number) => void;
  readonly signal: AbortSignal;
}

/** The transaction is one of many, and a busy cluster may be slow. */
const transactionMs = 30_000;

/**
 * Makes the keys of the prefixes equal to the backup. The differences are determined again, so keys that an earlier attempt has written are
 * not written again. Each transaction writes only keys of the prefixes, and only if they have not changed since they were read. Resolves
 * with the revision of the last transaction.
 *
 * A value is overwritten or deleted only if its last change is at or below `savedUpTo`, so that the safety snapshot has it (safety rules 10
 * and 15). Other keys are not changed, and are counted in the result.
 *
 * Rejects with a `RestoreError` of code `KeysChanged` if another client has changed a key since the comparison; nothing of that transaction
 * is written then.
 */
export async function writePrefixes(sides: ClusterAndBackup, options: WriteOptions): Promise<WrittenPrefixes> {
  const written: Written = { keys: 0 };
  try {
    return await untilWritten(sides, written, options);
  } catch (error) {
    throw counting(error, written.keys, options.total);
  }
}

/** The number of keys written by this attempt and earlier ones. */
interface Written {
  keys: number;
}

async function untilWritten(
  sides: ClusterAndBackup,
  written: Written,
  options: WriteOptions,
): Promise<WrittenPrefixes> {
  const { since, signal } = options;
  for (let attempt = 1; ; attempt++) {
    const found = await presentRevision(sides, signal);
    await check(sides, found, written, options);
    try {
      return await writeAll(sides, found, written, options);
    } catch (error) {
      // The key may have the value of the backup now, for example if a transaction of an earlier attempt was applied late. Then there is no
      // conflict, so the differences are determined again.
      if (!isGuardFailure(error)) throw error;
      if (attempt === mostAttempts) throw since ? error : restless(error);
    }
  }
}

/** Adds to the error how many keys were written before it. */
function counting(error: unknown, keys: number, total: number): unknown {
  const isKnown = error instanceof RestoreError || isEtcdError(error);
  if (keys === 0 || !isKnown) return error;
  const message = `${keys} of ${counted(Math.max(keys, total), 'key')} written, then writing failed: ${error.message}`;
  return new RestoreError(error instanceof RestoreError ? error.code : 'NotDelivered', message, { cause: error });
}

const mostAttempts = 5;

function isGuardFailure(error: unknown): error is RestoreError {
  return error instanceof RestoreError && error.code === 'KeysChanged';
}

async function writeAll(
  sides: ClusterAndBackup,
  found: bigint,
  written: Written,
  options: WriteOptions,
): Promise<WrittenPrefixes> {
  let revision = found;
  const unsaved = new Unsaved(options.savedUpTo);
  for await (const batch of batches(unsaved.leftOut(writes(sides, found, options.signal)))) {
    revision = await send(sides, batch, options);
    written.keys += batch.length;
    options.onProgress(written.keys);
  }
  return { revision: Number(revision), unsaved: unsaved.found };
}

/** Leaves out and counts keys that other clients have changed after the safety snapshot. */
class Unsaved {
  readonly #savedUpTo: bigint | undefined;
  found: UnsavedKeys | undefined;

  constructor(savedUpTo: bigint | undefined) {
    this.#savedUpTo = savedUpTo;
  }

  async *leftOut(all: AsyncIterable<KeyWrite>): AsyncGenerator<KeyWrite> {
    for await (const write of all) {
      const isSaved = this.#savedUpTo === undefined || write.seen <= this.#savedUpTo;
      if (isSaved) yield write;
      else {
        const { keys, ...first } = this.found ?? { keys: 0, first: named(write.key), revision: Number(write.seen) };
        this.found = { keys: keys + 1, ...first };
      }
    }
  }
}

/**
 * The error if other clients change the keys all the time: overwriting is allowed, but each transaction must know which values it
 * overwrites.
 */
function restless(cause: RestoreError): RestoreError {
  const why = cause.message.replace(/, after the comparison.*/s, '');
  const message = `${why} while the restore was writing this key; this happened ${mostAttempts} times in a row. Stop the clients that write keys with these prefixes. The operator retries the restore automatically`;
  return new RestoreError('NotDelivered', message, { cause });
}

/** Checks all keys before the first one is written. */
async function check(
  sides: ClusterAndBackup,
  found: bigint,
  written: Written,
  { since, total, space, signal }: WriteOptions,
): Promise<void> {
  const tally = new Tally(since);
  for await (const change of differences(sides, found, signal)) tally.add(change);
  const { puts, deletes } = tally.counts;
  written.keys = Math.max(written.keys, total - puts - deletes);
  if (since && tally.conflict !== undefined) throw keysChanged(tally.conflict, since.revision);
  const full = space && whyNoSpace(tally.counts, space);
  // There may be room again later. Keys that were written stay written; the other keys are written after a retry.
  if (full !== undefined) throw new RestoreError('NotDelivered', full);
}

async function* writes(sides: ClusterAndBackup, revision: bigint, signal: AbortSignal): AsyncGenerator<KeyWrite> {
  for await (const change of differences(sides, revision, signal)) {
    const write = writeOf(change);
    if (write) yield write;
  }
}

/** Sends one transaction. If the cluster rejects it because the cluster's limits are lower than usual, the transaction is split in two. */
async function send(sides: ClusterAndBackup, batch: readonly ReadyWrite[], options: WriteOptions): Promise<bigint> {
  const { since, mayWrite, signal } = options;
  mayWrite();
  let answer: TxnResponse;
  try {
    answer = await sides.kv.txn(transactionOf(batch), { signal, timeoutMs: transactionMs, fence: mayWrite });
  } catch (error) {
    const isTooMuch = isEtcdError(error, 'RequestTooLarge', 'InvalidArgument');
    if (!isTooMuch || batch.length === 1) throw explained(error, batch);
    const middle = Math.ceil(batch.length / 2);
    await send(sides, batch.slice(0, middle), options);
    return send(sides, batch.slice(middle), options);
  }
  if (!answer.succeeded) throw keysChanged(firstChanged(batch, answer), since?.revision ?? 0n);
  return answer.header.revision;
}

function firstChanged(batch: readonly ReadyWrite[], { responses }: TxnResponse): string {
  const [only, ...others] = batch;
  if (only && others.length === 0) return `key ${named(only.key)} was changed in the cluster`;
  for (const [index, { key, seen }] of batch.entries()) {
    const now = responses[index]?.range?.kvs[0]?.modRevision ?? 0n;
    if (now === seen) continue;
    const what = now === 0n ? 'was deleted from the cluster' : `was changed in the cluster at revision ${now}`;
    return `key ${named(key)} ${what}`;
  }
  return 'a key was changed in the cluster';
}

export function keysChanged(what: string, since: bigint, isWaivable = true): RestoreError {
  const orNot = isWaivable ? ', or spec.onConflict to Overwrite to write the keys anyway' : '';
  const remedy = `Set spec.dryRun to true to compare the backup with the cluster again${orNot}`;
  return new RestoreError('KeysChanged', `${what}, after the comparison at revision ${since}. ${remedy}`);
}

/** The error of etcd, with what the user can do about it. */
function explained(error: unknown, batch: readonly ReadyWrite[]): unknown {
  const [first] = batch;
  if (!first || !isEtcdError(error)) return error;
  if (error.code === 'NoSpace') {
    const message = `the cluster has no space left (alarm NOSPACE) and accepts no writes: ${error.message}. Free space in the database; the restore then continues`;
    return new RestoreError('NotDelivered', message, { cause: error });
  }
  if (error.code === 'RequestTooLarge') {
    const message = `key ${named(first.key)} is too large for a transaction of this cluster: raise ETCD_MAX_REQUEST_BYTES in spec.pod.etcdEnv of the EtcdCluster`;
    return new RestoreError('SourceRefused', message, { cause: error });
  }
  return error;
}
