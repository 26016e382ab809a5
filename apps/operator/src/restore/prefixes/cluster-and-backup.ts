// SPDX-License-Identifier: Apache-2.0
import {
  diffKeys,
  type KeyChange,
  type KeyValueStore,
  type ListedKey,
  liveKeys,
  type SnapshotKeys,
  type Spill,
} from '@operator-parts/etcd';

/** The keys of some prefixes, in a running cluster and in a backup. */
export interface ClusterAndBackup {
  readonly kv: Pick<KeyValueStore, 'range' | 'txn'>;
  readonly backup: Pick<SnapshotKeys, 'at'>;
  /** Storage for what does not fit in memory. */
  readonly spill: Spill;
  /** In key order; no prefix begins with another prefix. */
  readonly prefixes: readonly Uint8Array[];
}

/** The present revision of the cluster, from a linearizable read. */
export async function presentRevision({ kv }: ClusterAndBackup, signal: AbortSignal): Promise<bigint> {
  return (await kv.range({ key: Uint8Array.of(0), countOnly: true }, { signal })).header.revision;
}

/** The differences between the keys of the cluster at a revision and those of the backup, in key order. Only reads. */
export async function* differences(
  { kv, backup, spill, prefixes }: ClusterAndBackup,
  revision: bigint,
  signal: AbortSignal,
): AsyncGenerator<KeyChange> {
  for await (const change of diffKeys(live(kv, prefixes, revision, signal), backup.at({ prefixes }, spill))) {
    signal.throwIfAborted();
    yield change;
  }
}

async function* live(
  kv: Pick<KeyValueStore, 'range'>,
  prefixes: readonly Uint8Array[],
  revision: bigint,
  signal: AbortSignal,
): AsyncGenerator<ListedKey> {
  for (const prefix of prefixes) yield* liveKeys(kv, { prefix, revision, signal });
}
