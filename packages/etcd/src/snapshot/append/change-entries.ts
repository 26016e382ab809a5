// SPDX-License-Identifier: Apache-2.0
import { type KeyValue, keyValue } from '../../client/messages/kv-messages.ts';
import type { StoredEvent } from '../../client/messages/watch-messages.ts';
import { SnapshotError } from '../snapshot-error.ts';
import type { LeafItem } from './new-pages.ts';

/** The changes of a transaction: everything with one revision, in the order of a watch. */
export interface TransactionChanges {
  readonly revision: bigint;
  readonly events: readonly StoredEvent[];
}

/** etcd's entries in its `key` bucket for a transaction, one per change, byte for byte. */
export function changeEntries({ revision, events }: TransactionChanges): readonly LeafItem[] {
  return events.map(({ type, kv }, sub) => {
    if (kv.key.byteLength === 0 || (type === 'put' && kv.modRevision !== revision))
      throw new SnapshotError(
        'Malformed',
        `change ${sub} of revision ${revision} is damaged: it has no key, or another revision`,
      );
    return {
      key: revisionKey(revision, sub, type === 'delete'),
      value: type === 'put' ? stored(kv) : keyValue.encode({ key: kv.key }),
    };
  });
}

/** Empty fields are omitted, as in protobuf. */
function stored({ key, createRevision, modRevision, version, value, lease }: KeyValue): Uint8Array {
  return keyValue.encode({
    key,
    createRevision,
    modRevision,
    version,
    value: value.byteLength > 0 ? value : undefined,
    lease: lease === 0n ? undefined : lease,
  });
}

/**
 * A revision as etcd stores it: 8 bytes for its main number, `_`, 8 bytes for its sub number, big-endian; then `t` for
 * a deletion.
 */
function revisionKey(main: bigint, sub: number, isDeletion: boolean): Buffer {
  const bytes = Buffer.alloc(isDeletion ? 18 : 17, '_');
  bytes.writeBigInt64BE(main, 0);
  bytes.writeBigInt64BE(BigInt(sub), 9);
  if (isDeletion) bytes.write('t', 17);
  return bytes;
}

/** Forwards changes and fails if a change is missing: every revision is one transaction. */
export async function* withoutGap(
  changes: AsyncIterable<TransactionChanges>,
  after: bigint,
): AsyncGenerator<TransactionChanges> {
  let before = after;
  for await (const one of changes) {
    if (one.revision !== before + 1n || one.events.length === 0)
      throw new SnapshotError('Gap', `changes are missing: revision ${before} is followed by ${one.revision}`);
    before = one.revision;
    yield one;
  }
}
