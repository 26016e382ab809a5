// SPDX-License-Identifier: Apache-2.0
import type { Compare, RequestOp, TxnRequest } from '@etcd-operator/etcd';
import type { KeyWrite } from './key-write.ts';

/** A key that is written, with its value at hand. */
export interface ReadyWrite {
  readonly key: Uint8Array;
  readonly seen: bigint;
  /** Undefined: it is deleted. */
  readonly value: Uint8Array | undefined;
}

/** What one transaction holds at most; a key that is larger goes alone. */
export interface BatchLimits {
  readonly keys: number;
  readonly bytes: number;
}

/**
 * Half of what etcd allows in one transaction, and a third of what it takes in one request, by default: other clients wait for as long as one of
 * them takes.
 */
const limitsByDefault: BatchLimits = { keys: 64, bytes: 512 * 1024 };

/** Puts writes together, in their order. */
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
 * One transaction that writes these keys and no other, without a lease, and only if each of them is as it was seen. If not, the answer says how each of
 * them is; a single one needs no more bytes for that, for it may be as large as a request may be.
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
