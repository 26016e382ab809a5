// SPDX-License-Identifier: Apache-2.0
import type { Compare, RequestOp, TxnRequest } from '@operator-parts/etcd';
import type { KeyWrite } from './key-write.ts';

/** A key to write, with its value loaded. */
export interface ReadyWrite {
  readonly key: Uint8Array;
  readonly seen: bigint;
  /** Undefined: the key is deleted. */
  readonly value: Uint8Array | undefined;
}

/** The most that one transaction holds; a larger key gets its own transaction. */
export interface BatchLimits {
  readonly keys: number;
  readonly bytes: number;
}

/**
 * Half of the operations that etcd allows in one transaction by default, and a third of the bytes that it takes in one request
 * (etcd fact 5). Other clients wait for as long as a transaction takes.
 */
const limitsByDefault: BatchLimits = { keys: 64, bytes: 512 * 1024 };

/** Groups writes into batches, in their order. */
export async function* batches(
  writes: AsyncIterable<KeyWrite>,
  limits = limitsByDefault,
): AsyncGenerator<readonly ReadyWrite[]> {
  let batch: ReadyWrite[] = [];
  let bytes = 0;
  for await (const { key, seen, put } of writes) {
    const size = 2 * key.byteLength + (put?.valueBytes ?? 0);
    if (batch.length > 0 && (batch.length >= limits.keys || bytes + size > limits.bytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push({ key, seen, value: await put?.value() });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/**
 * One transaction that writes only these keys, without a lease, and only if none of them has changed since it was read. If a key has
 * changed, the answer contains the present state of each key. For a single key it does not, because that request may already have the
 * largest possible size.
 */
export function transactionOf(batch: readonly ReadyWrite[]): TxnRequest {
  return {
    compare: batch.map(guardOf),
    success: batch.map(operationOf),
    ...(batch.length > 1 && { failure: batch.map(({ key }) => ({ range: { key, keysOnly: true } })) }),
  };
}

function operationOf({ key, value }: ReadyWrite): RequestOp {
  return value === undefined ? { deleteRange: { key } } : { put: { key, value } };
}

function guardOf({ key, seen }: ReadyWrite): Compare {
  // A key that does not exist has version 0.
  if (seen === 0n) return { key, target: 'version', result: 'equal', version: 0n };
  return { key, target: 'mod', result: 'equal', modRevision: seen };
}
