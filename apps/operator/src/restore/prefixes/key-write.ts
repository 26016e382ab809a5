// SPDX-License-Identifier: Apache-2.0
import { type KeyChange, type ListedKey, printable } from '@etcd-operator/etcd';

const shownBytes = 128;

/** A key in words for a status: etcd takes keys of more than a megabyte. */
export function named(key: Uint8Array): string {
  if (key.byteLength <= shownBytes) return printable(key);
  return `${printable(key.subarray(0, shownBytes))}... (${key.byteLength} bytes)`;
}

/** One key that has to be written, so that the cluster has what the backup has. */
export interface KeyWrite {
  readonly key: Uint8Array;
  /** The revision at which the cluster has changed it last, as it was compared; 0 if the cluster does not have it. */
  readonly seen: bigint;
  /** The key as the backup has it; undefined if it has to be deleted. */
  readonly put: ListedKey | undefined;
}

/**
 * What a difference, from the cluster to the backup, asks for; undefined if nothing. A lease is no difference: it is not restored, and a key that has the value
 * of the backup keeps the lease that it has.
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
