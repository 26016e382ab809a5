// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@etcd-operator/blob';
import type { ReadAt } from '@etcd-operator/etcd';

/** Reads pieces of a stored object, for `readSnapshotFacts`. */
export function rangedReader(store: BlobStore, key: string, signal: AbortSignal): ReadAt {
  return async (offset, length) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of store.get(key, { offset, length }, { signal })) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  };
}
