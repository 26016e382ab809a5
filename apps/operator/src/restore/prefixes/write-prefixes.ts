// SPDX-License-Identifier: Apache-2.0
import { isEtcdError, type TxnResponse } from '@etcd-operator/etcd';
import { RestoreError } from '../restore-error.ts';
import { batches, type ReadyWrite, transactionOf } from './batches.ts';
import { type KeyWrite, named, writeOf } from './key-write.ts';
import { type Since, Tally } from './tally.ts';
import { differences, presentRevision, type TwoSides } from './two-sides.ts';

export interface WriteOptions {
  /** The comparison that the cluster must still fit; undefined to write whatever others have written. */
  readonly since: Since | undefined;
  /** Throws if nothing may be written any more. Asked before each transaction. */
  readonly mayWrite: () => void;
  /** Told how many keys were written. */
  readonly onProgress: (keys: number) => void;
  readonly signal: AbortSignal;
}

/** The transaction is one of many; a busy cluster may take its time. */
const transactionMs = 30_000;

/**
 * Makes the keys of the prefixes what they are in the backup. What differs is found anew, so that what an earlier attempt has written is left alone; each
 * transaction writes keys of the prefixes only, and only if they are as they were found. Resolves with the revision of the last transaction.
 *
 * Rejects with a `RestoreError` of code `KeysChanged` if somebody else has changed a key since the comparison; nothing of that transaction is written then.
 */
export async function writePrefixes(sides: TwoSides, options: WriteOptions): Promise<bigint> {
  const { since, signal } = options;
  const written = { keys: 0 };
  for (let attempt = 1; ; attempt++) {
    const found = await presentRevision(sides, signal);
    if (since) await checkSince(sides, since, found, signal);
    try {
      return await writeAll(sides, found, written, options);
    } catch (error) {
      // It may have become what the backup has, as by a transaction of an earlier attempt that came late: then it is no conflict.
      const isGuard = error instanceof RestoreError && error.code === 'KeysChanged';
      if (!isGuard || attempt === mostAttempts) throw error;
    }
  }
}

const mostAttempts = 5;

async function writeAll(
  sides: TwoSides,
  found: bigint,
  written: { keys: number },
  options: WriteOptions,
): Promise<bigint> {
  let revision = found;
  for await (const batch of batches(writes(sides, found, options.signal))) {
    revision = await send(sides, batch, options);
    written.keys += batch.length;
    options.onProgress(written.keys);
  }
  return revision;
}

/** All of it before the first key is written. */
async function checkSince(sides: TwoSides, since: Since, found: bigint, signal: AbortSignal): Promise<void> {
  const tally = new Tally(since);
  for await (const change of differences(sides, found, signal)) tally.add(change);
  if (tally.conflict !== undefined) throw keysChanged(tally.conflict, since.revision);
}

async function* writes(sides: TwoSides, revision: bigint, signal: AbortSignal): AsyncGenerator<KeyWrite> {
  for await (const change of differences(sides, revision, signal)) {
    const write = writeOf(change);
    if (write) yield write;
  }
}

/** A transaction that this cluster does not take as a whole, because its limits are lower than usual, goes in two. */
async function send(sides: TwoSides, batch: readonly ReadyWrite[], options: WriteOptions): Promise<bigint> {
  const { since, mayWrite, signal } = options;
  mayWrite();
  let answer: TxnResponse;
  try {
    const request = transactionOf(batch, since !== undefined);
    answer = await sides.kv.txn(request, { signal, timeoutMs: transactionMs, fence: mayWrite });
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
  const remedy = `Set spec.dryRun to true to compare again${orNot}`;
  return new RestoreError('KeysChanged', `${what}, after the comparison at revision ${since}. ${remedy}`);
}

/** What etcd says, with what a person can do about it. */
function explained(error: unknown, batch: readonly ReadyWrite[]): unknown {
  const [first] = batch;
  if (!first || !isEtcdError(error)) return error;
  if (error.code === 'NoSpace') {
    const message = `the cluster has no space left (alarm NOSPACE), and takes no writes: ${error.message}. Free space, and the restore goes on`;
    return new RestoreError('NotDelivered', message, { cause: error });
  }
  if (error.code === 'RequestTooLarge') {
    const message = `key ${named(first.key)} is too large for a transaction of this cluster: raise ETCD_MAX_REQUEST_BYTES in spec.pod.etcdEnv of the EtcdCluster`;
    return new RestoreError('SourceRefused', message, { cause: error });
  }
  return error;
}
