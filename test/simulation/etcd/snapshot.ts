// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { boltFile, messages, revisionKey } from '@operator-parts/etcd/testing';
import { AppliedState } from './applied-state.ts';
import type { Entry, Version } from './data-directory.ts';
import type { Member } from './member.ts';
import { storageVersionOf } from './versions.ts';

/** The versions that some entries amount to, in their order: the history of a store. */
export function historyOf(entries: readonly Entry[]): readonly Version[] {
  const state = new AppliedState();
  for (const { command } of entries) state.apply(command, Number.POSITIVE_INFINITY);
  return state.history;
}

/** What lies in a member's database, wrong values included. */
export function storedHistory({ state, directory: { flippedRevision } }: Member): readonly Version[] {
  return state.history.map((version) =>
    version.revision === flippedRevision ? { ...version, value: 'flipped' } : version,
  );
}

/** A member's database as `Maintenance/Snapshot` sends it: a bbolt file as etcd writes it, and its SHA-256 at the end. */
export function snapshotOf(member: Member): Buffer {
  const { directory, applied, state } = member;
  const history = storedHistory(member);
  const raisedTo = history.findLast(({ value }) => value === undefined);
  const index = Buffer.alloc(8);
  index.writeBigUInt64BE(BigInt(applied));
  const term = Buffer.alloc(8);
  term.writeBigUInt64BE(BigInt(directory.term));
  const storage = storageVersionOf(member);
  const isTold = storage !== '' && storage !== '3.5.0';
  const file = boltFile(
    [
      { name: 'alarm', entries: [] },
      {
        name: 'cluster',
        entries: [[Buffer.from('clusterVersion'), Buffer.from(`3.${state.clusterVersion ?? 0}.0`)]],
        inline: true,
      },
      {
        name: 'key',
        entries: history.map((version, at) => [revisionKey(BigInt(version.revision)), stored(version, at)] as const),
      },
      { name: 'lease', entries: [] },
      { name: 'members', entries: [] },
      { name: 'members_removed', entries: [] },
      {
        name: 'meta',
        entries: [
          [Buffer.from('consistent_index'), index],
          ...(raisedTo ? [[Buffer.from('scheduledCompactRev'), revisionKey(BigInt(raisedTo.revision))] as const] : []),
          ...(isTold ? [[Buffer.from('storageVersion'), Buffer.from(storage)] as const] : []),
          [Buffer.from('term'), term],
        ],
        inline: true,
      },
    ],
    40,
  );
  return Buffer.concat([file, createHash('sha256').update(file).digest()]);
}

/** All writes go to one key. */
function stored({ revision, value }: Version, at: number): Uint8Array {
  if (value === undefined) return new Uint8Array(0);
  return messages.keyValue.encode({
    key: Buffer.from('k'),
    createRevision: 2n,
    modRevision: BigInt(revision),
    version: BigInt(at + 1),
    value: Buffer.from(value),
  });
}
