// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { boltFile, messages, revisionKey } from '@etcd-operator/etcd/testing';
import type { Entry } from './data-directory.ts';
import type { Member } from './member.ts';
import { storageVersionOf } from './versions.ts';

/** The values of all writes among some entries, in their order: the history of a store. The first has revision 2. */
export function historyOf(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap(({ command }) => (command.kind === 'put' ? command.value : []));
}

/** A member's database as `Maintenance/Snapshot` sends it: a bbolt file as etcd writes it, and its SHA-256 at the end. */
export function snapshotOf(member: Member): Buffer {
  const { directory, applied, state } = member;
  const history = historyOf(directory.log.slice(0, applied));
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
      { name: 'key', entries: history.map((value, at) => [revisionKey(BigInt(at + 2)), stored(value, at)] as const) },
      { name: 'lease', entries: [] },
      { name: 'members', entries: [] },
      { name: 'members_removed', entries: [] },
      {
        name: 'meta',
        entries: [
          [Buffer.from('consistent_index'), index],
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
function stored(value: string, at: number): Uint8Array {
  return messages.keyValue.encode({
    key: Buffer.from('k'),
    createRevision: 2n,
    modRevision: BigInt(at + 2),
    version: BigInt(at + 1),
    value: Buffer.from(value),
  });
}
