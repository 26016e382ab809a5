// SPDX-License-Identifier: Apache-2.0
import type { KeyChange } from '@operator-parts/etcd';
import { counted } from '../../counted.ts';
import { named, writeOf } from './key-write.ts';

/** How many keys of the prefixes have to be written, and how. */
export interface KeyCounts {
  readonly puts: number;
  /** How many of the puts create keys that the cluster does not have. */
  readonly creates: number;
  /** How many of the puts are for keys that had a lease in the backup. */
  readonly leased: number;
  /** Total bytes of the names and values of the puts. */
  readonly putBytes: number;
  readonly deletes: number;
  readonly unchanged: number;
}

/**
 * An earlier comparison of the same cluster with the same backup: its revision, and how many keys of the backup the cluster did not have.
 */
export interface Since {
  readonly revision: bigint;
  readonly creates: number;
}

/**
 * Counts the differences from the cluster to the backup, and finds what other clients have changed since an earlier comparison. Keys that
 * this restore has written since then equal those of the backup. They are neither a difference nor a change of another client, so after a
 * crash the count is simply repeated.
 *
 * A deleted key leaves no trace in the present keys of a cluster, but deletions can be counted. If the cluster does not have a key of the
 * backup, or has created it since the comparison, the key was either missing at the comparison or deleted since. So the number of such keys
 * grows by exactly the number of deleted keys.
 */
export class Tally {
  readonly #since: Since | undefined;
  #puts = 0;
  #creates = 0;
  #leased = 0;
  #putBytes = 0;
  #deletes = 0;
  #unchanged = 0;
  #createdSince = 0;
  #firstChanged: { readonly key: Uint8Array; readonly revision: bigint } | undefined;

  constructor(since?: Since) {
    this.#since = since;
  }

  add(change: KeyChange): void {
    this.#count(change);
    if (!this.#since) return;
    const { revision } = this.#since;
    const isOfBackup = change.change === 'same' || change.change === 'changed';
    if (isOfBackup && change.from.createRevision > revision) this.#createdSince += 1;
    const write = writeOf(change);
    if (write && write.seen > revision) this.#firstChanged ??= { key: write.key, revision: write.seen };
  }

  #count(change: KeyChange): void {
    const write = writeOf(change);
    if (!write) this.#unchanged += 1;
    else if (!write.put) this.#deletes += 1;
    else {
      this.#puts += 1;
      this.#putBytes += write.key.byteLength + write.put.valueBytes;
      if (write.seen === 0n) this.#creates += 1;
      if (write.put.lease !== 0n) this.#leased += 1;
    }
  }

  get counts(): KeyCounts {
    const [puts, creates, leased] = [this.#puts, this.#creates, this.#leased];
    const [putBytes, deletes, unchanged] = [this.#putBytes, this.#deletes, this.#unchanged];
    return { puts, creates, leased, putBytes, deletes, unchanged };
  }

  /**
   * What other clients have changed since the earlier comparison, as text; undefined if no key to write was changed. Complete once all keys
   * are counted.
   */
  get conflict(): string | undefined {
    if (!this.#since) return undefined;
    if (this.#firstChanged) {
      const { key, revision } = this.#firstChanged;
      return `key ${named(key)} was changed in the cluster at revision ${revision}`;
    }
    const gone = this.#creates + this.#createdSince - this.#since.creates;
    if (gone <= 0) return undefined;
    return `${counted(gone, 'key')} of the backup ${gone === 1 ? 'was' : 'were'} deleted from the cluster`;
  }
}
