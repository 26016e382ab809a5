// SPDX-License-Identifier: Apache-2.0
import type { Id } from './ids.ts';

export interface MemberRecord {
  readonly id: Id;
  /** Empty until it has started for the first time. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

/** A change of the membership, as it stands in the log. */
export type Change =
  | { readonly kind: 'add'; readonly member: MemberRecord }
  | { readonly kind: 'remove'; readonly id: Id }
  | { readonly kind: 'promote'; readonly id: Id }
  | { readonly kind: 'update'; readonly id: Id; readonly peerUrls: readonly string[] };

/** A version of the one key, and the revision that it has. Without a value it only raises the revision, as etcd's restore tool does it. */
export interface Version {
  readonly revision: number;
  readonly value: string | undefined;
}

/** `request` names who waits for its application; it is unique. */
export type Command =
  | { readonly kind: 'noop' }
  | { readonly kind: 'change'; readonly change: Change; readonly request: string }
  | {
      readonly kind: 'publish';
      readonly id: Id;
      readonly name: string;
      readonly clientUrls: readonly string[];
      /** Written for the v2 store, as 3.5 does it; 3.7 cannot read that any more. */
      readonly isV2: boolean;
      readonly request: string;
    }
  | { readonly kind: 'clusterVersion'; readonly minor: number; readonly isV2: boolean; readonly request: string }
  /** Without a target it is called off. */
  | { readonly kind: 'downgrade'; readonly target: number | undefined; readonly request: string }
  /** `bytes` is what it takes of the database: one may stand for many. */
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly value: string;
      readonly bytes?: number;
      readonly request: string;
    }
  | { readonly kind: 'compact'; readonly revision: number; readonly request: string }
  | { readonly kind: 'lease'; readonly isGrant: boolean; readonly request: string }
  /** What a restored directory begins with: no entry of a real log, but followers get it as they would get its database. */
  | { readonly kind: 'restored'; readonly history: readonly Version[]; readonly request: string }
  | {
      readonly kind: 'alarm';
      readonly id: Id;
      readonly alarm: 'NOSPACE' | 'CORRUPT';
      readonly isRaised: boolean;
      readonly request: string;
    };

export interface Entry {
  readonly term: number;
  readonly command: Command;
}

/** What a member has on its disk: it outlives processes. The log begins with entry 1 and is never compacted. */
export interface DataDirectory {
  readonly memberId: Id;
  readonly clusterId: Id;
  term: number;
  votedFor: Id;
  log: Entry[];
  commit: number;
  /** Up to where a raft snapshot stands for the entries: they are not read again when a process starts. */
  snapshotIndex: number;
  /** Up to where the log is on the disk for good, and the commit index that was written with it. */
  syncedIndex: number;
  syncedCommit: number;
  /** How large the database file is: it shrinks by defragmentation only. */
  fileBytes: number;
  /** The revision whose value is not the one that was written. */
  flippedRevision: number | undefined;
  /** The format of the database, once 3.6 or a newer version has brought it into one. */
  storageMinor: number | undefined;
}

/** A directory that holds no more than a log. */
export function directoryOf(
  ids: Pick<DataDirectory, 'memberId' | 'clusterId'>,
  term: number,
  log: readonly Entry[],
): DataDirectory {
  return {
    ...ids,
    term,
    votedFor: '',
    log: [...log],
    commit: log.length,
    snapshotIndex: 0,
    syncedIndex: log.length,
    syncedCommit: log.length,
    fileBytes: 0,
    flippedRevision: undefined,
    storageMinor: undefined,
  };
}

/** Called when entries have been written: etcd syncs them, and with them how far it knew the log to be committed. */
export function sync(directory: DataDirectory): void {
  directory.syncedIndex = directory.log.length;
  directory.syncedCommit = Math.max(directory.commit, directory.snapshotIndex);
}

/**
 * Power is gone, and with it what was not synced: entries that nobody has been answered for, and news of a commit, which etcd writes
 * without waiting for the disk.
 */
export function losePower(directory: DataDirectory): void {
  directory.log.length = Math.min(directory.log.length, directory.syncedIndex);
  directory.commit = Math.min(directory.commit, Math.max(directory.syncedCommit, directory.snapshotIndex));
}
