// SPDX-License-Identifier: Apache-2.0
import type { ReadAt } from '@operator-parts/etcd';
import type { BackupReader } from './encryption/backup-reader.ts';

/** Reads ranges of a stored backup, for `readSnapshotFacts`. */
export function rangedReader(store: Pick<BackupReader, 'get'>, key: string, signal: AbortSignal): ReadAt {
  return async (offset, length) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of store.get(key, { offset, length }, { signal })) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  };
}
