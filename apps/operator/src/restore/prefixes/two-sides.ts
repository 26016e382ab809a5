// SPDX-License-Identifier: Apache-2.0
import {
  diffKeys,
  type KeyChange,
  type KeyValueStore,
  type ListedKey,
  liveKeys,
  type SnapshotKeys,
  type Spill,
} from '@etcd-operator/etcd';

/** The keys of some prefixes, in a cluster that serves and in a backup. */
export interface TwoSides {
  readonly kv: Pick<KeyValueStore, 'range' | 'txn'>;
  readonly backup: Pick<SnapshotKeys, 'at'>;
  /** Takes what does not fit in memory. */
  readonly spill: Spill;
  /** In the order of keys, none of which begins with another one. */
  readonly prefixes: readonly Uint8Array[];
}

/** The revision that the cluster is at, by a linearizable read. */
export async function presentRevision({ kv }: TwoSides, signal: AbortSignal): Promise<bigint> {
  return (await kv.range({ key: Uint8Array.of(0), countOnly: true }, { signal })).header.revision;
}

/** How keys differ, from what the cluster has at a revision to what the backup has, in the order of keys. Only reads. */
export async function* differences(
  { kv, backup, spill, prefixes }: TwoSides,
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
