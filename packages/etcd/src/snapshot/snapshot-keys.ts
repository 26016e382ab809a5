// SPDX-License-Identifier: Apache-2.0
import { keyValue } from '../client/messages/kv-messages.ts';
import { WireError } from '../client/wire/reader.ts';
import type { ReadAt } from './bolt-page.ts';
import { BoltReader } from './bolt-reader.ts';
import type { BoltEntry } from './bolt-walk.ts';
import { recentBlocks } from './recent-blocks.ts';
import { SnapshotError } from './snapshot-error.ts';
import { mainRevision, readSnapshotFacts } from './snapshot-facts.ts';
import { type FoundKey, type RunLimits, SortedRuns, type Spill } from './sorted-runs.ts';

/** A key as a member would return it, with its value on request. */
export interface ListedKey {
  readonly key: Uint8Array;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  readonly version: bigint;
  /** 0 for none. */
  readonly lease: bigint;
  readonly valueBytes: number;
  value(): Promise<Uint8Array>;
}

export interface SnapshotFile {
  readonly readAt: ReadAt;
  readonly bytes: number;
}

export interface KeysAsked {
  /** @default every key */
  readonly prefix?: Uint8Array;
  /** Several prefixes, read at once; a key that matches two of them is returned once. @default `prefix` alone */
  readonly prefixes?: readonly Uint8Array[];
  /** @default the revision of the snapshot */
  readonly revision?: bigint;
  /** @default about 40 MB */
  readonly limits?: RunLimits;
}

/**
 * The keys of a snapshot as a restored member would return them, without such a member. The hash of the file is not
 * checked here; the file is untrusted, and every failure is a `SnapshotError`.
 */
export class SnapshotKeys {
  readonly #file: SnapshotFile;
  readonly #bolt: BoltReader;
  /** The revision of the newest entry. */
  readonly revision: bigint;
  /**
   * The revision of the last compaction: older revisions are not in the snapshot any more. 0 if nothing was compacted.
   */
  readonly compactedAt: bigint;

  private constructor(file: SnapshotFile, bolt: BoltReader, revision: bigint, compactedAt: bigint) {
    this.#file = file;
    this.#bolt = bolt;
    this.revision = revision;
    this.compactedAt = compactedAt;
  }

  static async open({ readAt, bytes }: SnapshotFile): Promise<SnapshotKeys> {
    const file = { readAt: recentBlocks(readAt), bytes };
    const [bolt, { revision }] = [await BoltReader.open(file.readAt), await readSnapshotFacts(readAt)];
    // etcd creates this bucket first: without it the database does not belong to etcd, and is not an empty store.
    if (!(await bolt.has('key')))
      throw new SnapshotError('Malformed', 'the file is not a database of etcd: it has no bucket "key"');
    // A compaction counts as soon as it is requested: from then on, a server does not return older revisions, even if
    // they are not removed yet.
    let compactedAt = mainRevision(await bolt.value('meta', 'finishedCompactRev'));
    const scheduled = mainRevision(await bolt.value('meta', 'scheduledCompactRev'));
    if (scheduled > compactedAt) compactedAt = scheduled;
    return new SnapshotKeys(file, bolt, revision, compactedAt);
  }

  /**
   * The keys in order, like a range request with that prefix at that revision. Reads the whole history once, then
   * requested values. Throws a `SnapshotError` with code `NoSuchRevision` if the snapshot does not have the revision.
   *
   * @param spill stores what does not fit in memory
   */
  async *at(asked: KeysAsked, spill: Spill): AsyncGenerator<ListedKey> {
    const { prefix = new Uint8Array(0), prefixes = [prefix], revision = this.revision, limits } = asked;
    this.#check(revision);
    const runs = new SortedRuns(spill, limits);
    for await (const { entry, main } of this.#history()) {
      if (main > revision) break;
      const found = foundKey(entry, main, prefixes);
      if (found) await runs.add(found);
    }
    for await (const found of runs.sorted()) if (!found.isDeleted) yield this.#listed(found);
  }

  /** Every entry, in revision order. */
  async *#history(): AsyncGenerator<{ readonly entry: BoltEntry; readonly main: bigint }> {
    let before: Buffer = Buffer.alloc(0);
    for await (const leaf of this.#bolt.leaves('key', this.#file.bytes)) {
      for (const entry of leaf) {
        yield { entry, main: revisionOf(entry.key, before) };
        before = entry.key;
      }
    }
  }

  #check(revision: bigint): void {
    if (revision > this.revision)
      throw new SnapshotError(
        'NoSuchRevision',
        `the snapshot has no revision ${revision}: its last one is ${this.revision}`,
      );
    if (revision < this.compactedAt || revision < 1n)
      throw new SnapshotError(
        'NoSuchRevision',
        `the snapshot has no revision ${revision}: its history begins at ${this.compactedAt || 1n}, older revisions were compacted`,
      );
  }

  #listed(found: FoundKey): ListedKey {
    const { readAt } = this.#file;
    return {
      key: Buffer.from(found.key, 'latin1'),
      createRevision: BigInt(found.createRevision),
      modRevision: BigInt(found.modRevision),
      version: BigInt(found.version),
      lease: found.lease,
      valueBytes: found.valueBytes,
      value: async () => decoded(await readAt(found.offset, found.length)).value,
    };
  }
}

const revisionBytes = 17;
const deletionMark = 't'.charCodeAt(0);

/**
 * The main number of a revision. etcd stores a revision as 8 bytes for its main number, `_`, 8 bytes for its sub
 * number, big-endian; a deletion has one more byte.
 */
function revisionOf(key: Buffer, before: Buffer): bigint {
  if (key.byteLength < revisionBytes || Buffer.compare(key, before) <= 0)
    throw new SnapshotError('Malformed', 'the database file is damaged: its revisions are not in order');
  return key.readBigInt64BE(0);
}

function foundKey(
  { key: name, value, offset }: BoltEntry,
  main: bigint,
  prefixes: readonly Uint8Array[],
): FoundKey | undefined {
  const record = decoded(value);
  // A restore that raises the revision adds an empty entry for the new revision. No range request can contain a key
  // without a name.
  if (record.key.byteLength === 0) return undefined;
  if (!prefixes.some((prefix) => begins(record.key, prefix))) return undefined;
  return {
    key: Buffer.from(record.key).toString('latin1'),
    isDeleted: name.byteLength > revisionBytes && name[revisionBytes] === deletionMark,
    createRevision: Number(record.createRevision),
    modRevision: Number(main),
    version: Number(record.version),
    lease: record.lease,
    valueBytes: record.value.byteLength,
    offset,
    length: value.byteLength,
  };
}

function begins(key: Uint8Array, prefix: Uint8Array): boolean {
  return Buffer.compare(prefix, key.subarray(0, prefix.byteLength)) === 0;
}

function decoded(record: Uint8Array) {
  try {
    return keyValue.decode(record);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new SnapshotError('Malformed', 'the database file is damaged: it has an entry that etcd did not write');
  }
}
