// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePart } from '@etcd-operator/tools';
import type { MemberClient } from '../client/member-client.ts';
import type { StoredEvent } from '../client/messages/watch-messages.ts';
import type { TransactionChanges } from '../snapshot/append/change-entries.ts';
import { extendSnapshot } from '../snapshot/append/extend-snapshot.ts';
import type { GrantedLease } from '../snapshot/append/lease-entries.ts';
import type { EtcdLab, EtcdProcess } from './etcd-process.ts';

const run = promisify(execFile);
const everything = { key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0) };

export async function wholeSnapshot(member: MemberClient): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of member.maintenance.snapshot()) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** All changes of a member in these revisions, by a watch. */
export async function changesOf(
  member: MemberClient,
  from: bigint,
  to: bigint,
): Promise<readonly TransactionChanges[]> {
  const found: { revision: bigint; events: StoredEvent[] }[] = [];
  if (from > to) return found;
  const stop = new AbortController();
  for await (const { events } of member.watchBatches({ ...everything, startRevision: from, signal: stop.signal })) {
    for (const { type, kv } of events) {
      if (kv.modRevision > to || type === 'unrecognised') continue;
      if (found.at(-1)?.revision !== kv.modRevision) found.push({ revision: kv.modRevision, events: [] });
      found.at(-1)?.events.push({ type, kv });
    }
    // All changes of a revision are in one answer.
    if (found.at(-1)?.revision === to) break;
  }
  stop.abort(new Error('everything was seen'));
  return found;
}

/** The existing leases of the changes' keys. */
export async function leasesOf(
  member: MemberClient,
  changes: readonly TransactionChanges[],
): Promise<readonly GrantedLease[]> {
  const ids = new Set(changes.flatMap(({ events }) => events.map(({ kv }) => kv.lease)).filter((id) => id !== 0n));
  const granted: GrantedLease[] = [];
  for (const id of ids) {
    const { grantedTtl, ttl } = await member.lease.timeToLive(id);
    if (ttl >= 0n) granted.push({ id, ttl: grantedTtl });
  }
  return granted;
}

/** The snapshot with the changes appended. */
export async function extended(
  snapshot: Buffer,
  changes: readonly TransactionChanges[],
  leases: readonly GrantedLease[] = [],
): Promise<Buffer> {
  const inPieces = async function* () {
    for (let at = 0; at < snapshot.byteLength; at += 65_536) yield snapshot.subarray(at, at + 65_536);
  };
  const base = {
    readAt: async (offset: number, length: number) => snapshot.subarray(offset, offset + length),
    bytes: snapshot.byteLength,
    all: inPieces,
  };
  const one = async function* () {
    yield* changes;
  };
  const result = await extendSnapshot(base, { changes: one, leases: () => leases });
  const pieces: Uint8Array[] = [];
  for await (const piece of result.all()) pieces.push(Buffer.from(piece));
  const bytes = Buffer.concat(pieces);
  if (bytes.byteLength !== result.bytes) throw new Error(`${bytes.byteLength} bytes came instead of ${result.bytes}`);
  return bytes;
}

/**
 * A member with the data of a snapshot, restored by etcd's own tool, which verifies the hash.
 *
 * @param bump how far its revision is raised, as a restore does
 */
export async function startRestored(lab: EtcdLab, snapshot: Buffer, version: string, bump = 0): Promise<EtcdProcess> {
  const { programs } = await ensurePart(`etcd@${version}`);
  const member = await lab.member();
  const file = join(lab.directory, `${member.name}.snapshot`);
  await writeFile(file, snapshot);
  await run(programs['etcdutl'] ?? 'etcdutl', [
    ...['snapshot', 'restore', file, '--data-dir', join(lab.directory, member.name)],
    ...['--name', member.name, '--initial-cluster', `${member.name}=${member.peerUrl}`],
    ...['--initial-advertise-peer-urls', member.peerUrl, '--initial-cluster-token', lab.token],
    ...(bump > 0 ? [`--bump-revision=${bump}`, '--mark-compacted'] : []),
  ]);
  return member.start({ version });
}
