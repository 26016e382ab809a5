// SPDX-License-Identifier: Apache-2.0
import { type KeyChange, type ListedKey, printable } from '@operator-parts/etcd';

const shownBytes = 128;

/** A key as text for a status. Shortened, because etcd accepts keys of more than a megabyte. */
export function named(key: Uint8Array): string {
  if (key.byteLength <= shownBytes) return printable(key);
  return `${printable(key.subarray(0, shownBytes))}... (${key.byteLength} bytes)`;
}

/** One key that has to be written, so that the cluster matches the backup. */
export interface KeyWrite {
  readonly key: Uint8Array;
  /** The revision of its last change in the cluster when it was compared; 0 if the cluster does not have the key. */
  readonly seen: bigint;
  /** The key as the backup has it; undefined if it has to be deleted. */
  readonly put: ListedKey | undefined;
}

/**
 * The write that a difference between cluster and backup needs; undefined if it needs none. A lease is no difference: leases are not
 * restored, and a key with the same value as in the backup keeps its lease.
 */
export function writeOf(change: KeyChange): KeyWrite | undefined {
  switch (change.change) {
    case 'same':
      return undefined;
    case 'added':
      return { key: change.to.key, seen: 0n, put: change.to };
    case 'removed':
      return { key: change.from.key, seen: change.from.modRevision, put: undefined };
    case 'changed':
      if (!change.differs.includes('value')) return undefined;
      return { key: change.from.key, seen: change.from.modRevision, put: change.to };
  }
}
