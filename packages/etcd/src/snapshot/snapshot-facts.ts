// SPDX-License-Identifier: Apache-2.0
import { blockCache } from './block-cache.ts';
import type { ReadAt } from './bolt-page.ts';
import { BoltReader } from './bolt-reader.ts';

/** Facts in a stored snapshot about its cluster. */
export interface SnapshotFacts {
  /** The revision of a server restored from it: 1 for an empty store. */
  readonly revision: bigint;
  /**
   * The revision of its newest entry, 0 if it has none: the base of `--bump-revision`. It is below `revision` if an
   * older etcd, such as 3.4.23, has compacted up to a deletion and removed the entry of the deletion.
   */
  readonly newestEntry: bigint;
  /**
   * The storage version, `3.6.0`; undefined for files of 3.5 and older. An older etcd cannot open a file with a newer
   * storage version.
   */
  readonly storageVersion: string | undefined;
  /** The cluster version, `3.5.0`; undefined if the file does not contain it. */
  readonly clusterVersion: string | undefined;
  /** The index of the last included raft entry; undefined if the file does not contain it. */
  readonly consistentIndex: bigint | undefined;
  /** True if authentication is enabled: managing the restored cluster then requires a user. */
  readonly authEnabled: boolean;
}

/**
 * Reads these facts from a stored snapshot with a few small ranged reads (operator rule 20). The hash is not checked:
 * use `verifySnapshot` for that.
 */
export async function readSnapshotFacts(readAt: ReadAt): Promise<SnapshotFacts> {
  const reader = await BoltReader.open(blockCache(readAt));
  const [lastKey, compacted, storageVersion, clusterVersion, consistentIndex, authEnabled] = await Promise.all([
    reader.lastKey('key'),
    reader.value('meta', 'scheduledCompactRev'),
    reader.value('meta', 'storageVersion'),
    reader.value('cluster', 'clusterVersion'),
    reader.value('meta', 'consistent_index', 8),
    reader.value('auth', 'authEnabled', 1),
  ]);
  // If compaction has removed the newest entries, the server continues at the compaction revision.
  const newestEntry = mainRevision(lastKey);
  const revisions = [1n, newestEntry, mainRevision(compacted)];
  return {
    revision: revisions.reduce((highest, revision) => (revision > highest ? revision : highest)),
    newestEntry,
    storageVersion: versionText(storageVersion),
    clusterVersion: versionText(clusterVersion),
    consistentIndex: consistentIndex?.byteLength === 8 ? Buffer.from(consistentIndex).readBigUInt64BE(0) : undefined,
    authEnabled: authEnabled?.[0] === 1,
  };
}

/** The file is untrusted: an invalid version is ignored. */
function versionText(bytes: Uint8Array | undefined): string | undefined {
  const text = Buffer.from(bytes ?? []).toString('latin1');
  return /^\d{1,4}\.\d{1,4}\.\d{1,4}$/.test(text) ? text : undefined;
}

/**
 * The main number of a revision. etcd stores a revision as 8 bytes for its main number, `_`, 8 bytes for its sub
 * number, big-endian.
 */
export function mainRevision(bytes: Uint8Array | undefined): bigint {
  if (!bytes || bytes.byteLength < 17) return 0n;
  return Buffer.from(bytes).readBigInt64BE(0);
}
