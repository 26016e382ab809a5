// SPDX-License-Identifier: Apache-2.0
import type { StoredEvent } from '@etcd-operator/etcd';

/**
 * Everything that one revision changed, in etcd's order. Revisions follow each other without a hole: etcd counts only what changes
 * something, so that a missing number is a missing change.
 */
export interface RevisionChanges {
  readonly revision: bigint;
  /** When the operator saw it, in milliseconds since the epoch. */
  readonly at: number;
  /** At least one. */
  readonly events: readonly StoredEvent[];
}
