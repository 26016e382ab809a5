// SPDX-License-Identifier: Apache-2.0
import type { StoredEvent } from '@operator-parts/etcd';

/**
 * All changes of one revision, in etcd's order. Revisions are consecutive: etcd increments the revision only for changes, so a missing
 * number means a missing change.
 */
export interface RevisionChanges {
  readonly revision: bigint;
  /** When the operator received the revision, in milliseconds since the epoch. */
  readonly at: number;
  /** The changes; there is at least one. */
  readonly events: readonly StoredEvent[];
}
