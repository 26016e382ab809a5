// SPDX-License-Identifier: Apache-2.0
import { crc32c } from '../wal/crc32c.ts';
import { BoltReader } from './bolt-reader.ts';
import type { BoltEntry } from './bolt-walk.ts';
import { LatestRevisions } from './latest-revisions.ts';
import { SnapshotError } from './snapshot-error.ts';
import type { SnapshotFile } from './snapshot-keys.ts';

/** A summary of a database, by reading all of it. */
export interface KeySummary {
  /** The revision of a server with this database. */
  readonly revision: number;
  readonly compactRevision: number;
  /** Existing keys at that revision. */
  readonly keys: number;
  /** HashKV of a server with this database at that revision. */
  readonly hash: number;
}

/**
 * Reads every key of a database twice, and computes etcd's own figures: an independent check that a server with this
 * database has all the data. Memory grows with the number of keys, as in etcd, but not with their values.
 */
export async function summarizeKeys({ readAt, bytes }: SnapshotFile): Promise<KeySummary> {
  const reader = await BoltReader.open(readAt);
  const history = () => entriesInOrder(reader, bytes);
  const [scheduled, finished] = await Promise.all([
    reader.value('meta', 'scheduledCompactRev'),
    reader.value('meta', 'finishedCompactRev'),
  ]);
  // A server carries out a scheduled compaction when it starts.
  const compactRevision = Math.max(mainOf(scheduled), mainOf(finished));
  const latest = new LatestRevisions();
  let [newest, hasNameless] = [1, false];
  for await (const { key, value } of history()) {
    const { main, sub, isDeletion } = revisionOf(key);
    hasNameless ||= value.byteLength === 0;
    latest.set(keyOf(value), main, sub, isDeletion);
    newest = main;
  }
  const hash = await hashOf(history(), compactRevision, latest);
  // No range request can contain a key without a name, so etcd does not count it.
  const keys = latest.live - (hasNameless ? 1 : 0);
  return { revision: Math.max(newest, compactRevision), compactRevision, keys, hash };
}

/**
 * etcd's HashKV at the newest revision: CRC-32C of the bucket's name and of its entries. After the compaction revision
 * every entry counts. Up to that revision, an entry counts only if it is the latest of a key that still exists; if no
 * key exists at all, every entry counts, as in etcd. A deletion at exactly the compaction revision never counts.
 */
async function hashOf(
  history: AsyncIterable<BoltEntry>,
  compactRevision: number,
  latest: LatestRevisions,
): Promise<number> {
  let crc = crc32c(0, Buffer.from('key'));
  for await (const { key, value } of history) {
    const { main, sub, isDeletion } = revisionOf(key);
    const isCompacted = main <= compactRevision && latest.live > 0;
    if (isCompacted && !latest.isLive(keyOf(value), main, sub)) continue;
    if (isDeletion && main === compactRevision) continue;
    crc = crc32c(crc32c(crc, key), value);
  }
  return crc;
}

async function* entriesInOrder(reader: BoltReader, bytes: number): AsyncGenerator<BoltEntry> {
  let before: Buffer = Buffer.alloc(0);
  for await (const leaf of reader.leaves('key', bytes)) {
    for (const entry of leaf) {
      if (Buffer.compare(entry.key, before) <= 0) throw malformed('its revisions are not in order');
      before = entry.key;
      yield entry;
    }
  }
}

interface Revision {
  readonly main: number;
  readonly sub: number;
  readonly isDeletion: boolean;
}

/**
 * A revision as etcd stores it: 8 bytes for its main number, `_`, 8 bytes for its sub number, big-endian; then `t` for
 * a deletion.
 */
function revisionOf(key: Buffer): Revision {
  if (key.byteLength < 17) throw malformed('a revision is too short');
  const [main, sub] = [Number(key.readBigInt64BE(0)), Number(key.readBigInt64BE(9))];
  if (!Number.isSafeInteger(main) || sub < 0 || sub >= 2 ** 31) throw malformed('a revision is out of range');
  return { main, sub, isDeletion: key.byteLength === 18 && key[17] === 0x74 };
}

function mainOf(bytes: Uint8Array | undefined): number {
  return bytes && bytes.byteLength >= 17 ? revisionOf(Buffer.from(bytes)).main : 0;
}

/**
 * The key of an entry: the first field of its protobuf message. A restore that raises the revision adds an empty entry
 * for the new revision, which etcd reads as a key without a name.
 */
function keyOf(value: Buffer): Buffer {
  if (value.byteLength === 0) return value;
  if (value[0] !== 0x0a) throw malformed('an entry does not begin with its key');
  let length = 0;
  let at = 1;
  for (let shift = 0; ; shift += 7, at++) {
    const byte = value[at];
    if (byte === undefined || shift > 28) throw malformed('the length of a key cannot be read');
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  const end = at + 1 + length;
  if (end > value.byteLength) throw malformed('a key is longer than its entry');
  return value.subarray(at + 1, end);
}

function malformed(what: string): SnapshotError {
  return new SnapshotError('Malformed', `the database file is damaged: ${what}`);
}
