// SPDX-License-Identifier: Apache-2.0
import type { ReadAt } from './bolt-page.ts';
import { SnapshotError } from './snapshot-error.ts';

/** The root of a database. */
export interface BoltMeta {
  readonly pageSize: number;
  /** The page of the root bucket, which contains all buckets. */
  readonly root: bigint;
  /** bbolt's sequence of the root; etcd does not use it. */
  readonly sequence: bigint;
  /** The number of pages; bytes after them do not belong to the file. */
  readonly pages: bigint;
  readonly txid: bigint;
}

const magic = 0xed0cdaed;
const formatVersion = 2;
const metaFlag = 0x04;
const metaOffset = 16;
const checkedBytes = 56;
const metaBytes = metaOffset + checkedBytes + 8;

/** Page sizes of operating systems; only needed if the first of the two meta pages is invalid. */
const pageSizes = [4096, 8192, 16_384, 65_536];

/** Reads the newer of the valid meta pages. Throws a `SnapshotError` if neither is valid. */
export async function readMeta(readAt: ReadAt): Promise<BoltMeta> {
  const first = parseMeta(await readAt(0, metaBytes));
  const sizes = first ? [first.pageSize] : pageSizes;
  for (const size of sizes) {
    const second = parseMeta(await readAt(size, metaBytes));
    if (second && second.pageSize === size) return first && first.txid > second.txid ? first : second;
  }
  if (first) return first;
  throw new SnapshotError('Malformed', 'the file has no valid meta page: it is not an etcd database, or is damaged');
}

function parseMeta(bytes: Uint8Array): BoltMeta | undefined {
  if (bytes.byteLength < metaBytes) return undefined;
  const meta = Buffer.from(bytes.buffer, bytes.byteOffset + metaOffset, checkedBytes + 8);
  if (meta.readUInt32LE(0) !== magic || meta.readUInt32LE(4) !== formatVersion) return undefined;
  if (fnv1a(meta.subarray(0, checkedBytes)) !== meta.readBigUInt64LE(checkedBytes)) return undefined;
  const pageSize = meta.readUInt32LE(8);
  if (pageSize < 512 || pageSize > 1024 * 1024) return undefined;
  return {
    pageSize,
    root: meta.readBigUInt64LE(16),
    sequence: meta.readBigUInt64LE(24),
    pages: meta.readBigUInt64LE(40),
    txid: meta.readBigUInt64LE(48),
  };
}

/** A meta page may name a list of free pages; etcd stores none, and finds free pages when it opens the file. */
const noFreelist = 0xffff_ffff_ffff_ffffn;

/** Both meta pages of a file, as bbolt writes them to a copy of a database: the first is the newer one. */
export function metaPages(meta: BoltMeta): Buffer {
  const bytes = Buffer.alloc(2 * meta.pageSize);
  writeMeta(bytes.subarray(0, meta.pageSize), 0n, meta);
  writeMeta(bytes.subarray(meta.pageSize), 1n, { ...meta, txid: meta.txid - 1n });
  return bytes;
}

function writeMeta(page: Buffer, id: bigint, { pageSize, root, sequence, pages, txid }: BoltMeta): void {
  page.writeBigUInt64LE(id, 0);
  page.writeUInt16LE(metaFlag, 8);
  const meta = page.subarray(metaOffset);
  meta.writeUInt32LE(magic, 0);
  meta.writeUInt32LE(formatVersion, 4);
  meta.writeUInt32LE(pageSize, 8);
  meta.writeBigUInt64LE(root, 16);
  meta.writeBigUInt64LE(sequence, 24);
  meta.writeBigUInt64LE(noFreelist, 32);
  meta.writeBigUInt64LE(pages, 40);
  meta.writeBigUInt64LE(txid, 48);
  meta.writeBigUInt64LE(fnv1a(meta.subarray(0, checkedBytes)), checkedBytes);
}

/** The 64-bit FNV-1a checksum of bbolt's meta pages. */
function fnv1a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
