// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { metaPages, readMeta } from '../bolt-meta.ts';
import { trailerBytes } from '../check-snapshot.ts';
import { SnapshotError } from '../snapshot-error.ts';
import { readSnapshotFacts } from '../snapshot-facts.ts';
import type { SnapshotFile } from '../snapshot-keys.ts';
import { changeEntries, type TransactionChanges, withoutGap } from './change-entries.ts';
import { type GrantedLease, withLeases } from './lease-entries.ts';
import { type LeafItem, NewPages } from './new-pages.ts';
import { bucketEntries, inlineEntries, rightEdge, type Tree, topLevel } from './present-tree.ts';
import { TreeAppender } from './tree-appender.ts';

/** The snapshot that changes are added to. */
export interface BaseSnapshot extends SnapshotFile {
  /** All of its bytes, from the beginning. */
  all(): AsyncIterable<Uint8Array>;
}

/** The changes after a snapshot. */
export interface LaterChanges {
  /**
   * The changes in order, from the first revision after the snapshot on. Called twice, and must return the same both
   * times.
   */
  changes(): AsyncIterable<TransactionChanges>;
  /** Leases of the keys; the snapshot may contain them already. Requested after all changes have been read. */
  leases(): readonly GrantedLease[];
}

/** The snapshot that a member would return after those changes, if nothing had been compacted since. */
export interface ExtendedSnapshot {
  /** Its length, including the hash at its end. */
  readonly bytes: number;
  /** The revision of the last change. */
  readonly revision: bigint;
  all(): AsyncGenerator<Uint8Array, void, undefined>;
}

/**
 * Appends later changes to a snapshot, without an etcd. A watch returns each change as etcd has stored it, and etcd's
 * `key` bucket is sorted by revision. So the changes can be appended as one bbolt transaction, with pages after those
 * of the snapshot. Memory is bounded: the changes are read once to count pages, and again to write them. Rejects with a
 * `SnapshotError`.
 */
export async function extendSnapshot(base: BaseSnapshot, later: LaterChanges): Promise<ExtendedSnapshot> {
  const [meta, { revision: from }] = await Promise.all([readMeta(base.readAt), readSnapshotFacts(base.readAt)]);
  const tree = { readAt: base.readAt, pageSize: meta.pageSize, pages: meta.pages };
  const buckets = await topLevel(tree, meta.root);
  const write = (encodes: boolean) => {
    const pages = new NewPages(meta.pageSize, Number(meta.pages), { encodes });
    return { pages, written: writePages({ pages, tree, buckets, from }, later) };
  };

  const measured = write(false);
  const end = await endOf(measured.written);
  const { next } = measured.pages;
  // bbolt writes transactions with an even number to the first meta page.
  const txid = meta.txid + (meta.txid % 2n === 0n ? 2n : 1n);
  const head = metaPages({ ...meta, root: BigInt(end.root), pages: BigInt(next), txid });

  const parts = async function* (): AsyncGenerator<Uint8Array> {
    yield head;
    yield* between(base.all(), head.byteLength, Number(meta.pages) * meta.pageSize);
    const { pages, written } = write(true);
    const { root } = yield* written;
    if (root !== end.root || pages.next !== next)
      throw new SnapshotError('Gap', 'the stored changes were replaced while they were read');
  };
  const bytes = next * meta.pageSize + trailerBytes;
  return { bytes, revision: end.revision, all: () => withHash(parts()) };
}

interface Present {
  readonly pages: NewPages;
  readonly tree: Tree;
  readonly buckets: readonly LeafItem[];
  readonly from: bigint;
}

interface End {
  /** The page of the root bucket, which contains all buckets. */
  readonly root: number;
  readonly revision: bigint;
}

async function* writePages(
  { pages, tree, buckets, from }: Present,
  later: LaterChanges,
): AsyncGenerator<Uint8Array, End> {
  const header = (name: string) => buckets.find(({ key }) => Buffer.from(key).equals(Buffer.from(name)))?.value;
  const keys = await openKeys(pages, tree, header('key'));
  let revision = from;
  for await (const change of withoutGap(later.changes(), from)) {
    for (const entry of changeEntries(change)) keys.add(entry);
    revision = change.revision;
    yield* pages.take();
  }
  if (revision === from) throw new SnapshotError('Gap', `there are no changes after revision ${from}`);
  const roots = new Map([['key', keys.finish()]]);

  const leases = later.leases();
  if (leases.length > 0) {
    if (!header('lease'))
      throw new SnapshotError('Malformed', 'the database file is damaged: it has no bucket of leases');
    const all = new TreeAppender(pages);
    for await (const entry of withLeases(bucketEntries(tree, header('lease')), leases)) {
      all.add(entry);
      yield* pages.take();
    }
    roots.set('lease', all.finish());
  }

  const top = new TreeAppender(pages);
  for (const bucket of buckets) top.add(moved(bucket, roots.get(Buffer.from(bucket.key).toString('latin1'))));
  const root = top.finish();
  yield* pages.take();
  return { root, revision };
}

/** Opens the bucket of all keys, to append entries after its last one. */
async function openKeys(pages: NewPages, tree: Tree, header: Uint8Array | undefined): Promise<TreeAppender> {
  if (!header) throw new SnapshotError('Malformed', 'the database file is damaged: it has no bucket of keys');
  const root = Buffer.from(header).readBigUInt64LE(0);
  if (root !== 0n) return new TreeAppender(pages, await rightEdge(tree, root));
  const keys = new TreeAppender(pages);
  for (const entry of await inlineEntries(header)) keys.add(entry);
  return keys;
}

/** A bucket with a new root page. Its sequence is kept; etcd does not use it. */
function moved(bucket: LeafItem, root: number | undefined): LeafItem {
  if (root === undefined) return bucket;
  const value = Buffer.alloc(bucketHeaderBytes);
  value.set(bucket.value.subarray(0, bucketHeaderBytes));
  value.writeBigUInt64LE(BigInt(root), 0);
  return { ...bucket, value };
}

const bucketHeaderBytes = 16;

async function endOf(written: AsyncGenerator<Uint8Array, End>): Promise<End> {
  for (;;) {
    const step = await written.next();
    if (step.done) return step.value;
  }
}

/** The bytes between two offsets of a body. */
async function* between(body: AsyncIterable<Uint8Array>, from: number, end: number): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of body) {
    const part = piece.subarray(Math.max(0, from - at), Math.max(0, end - at));
    at += piece.byteLength;
    if (part.byteLength > 0) yield part;
  }
  if (at < end) throw new SnapshotError('Malformed', 'the database file is incomplete: it ends before its last page');
}

async function* withHash(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  for await (const part of parts) {
    hash.update(part);
    yield part;
  }
  yield hash.digest();
}
