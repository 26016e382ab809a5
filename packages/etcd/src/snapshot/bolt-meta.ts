// SPDX-License-Identifier: Apache-2.0
import type { ReadAt } from './bolt-page.ts';
import { SnapshotError } from './snapshot-error.ts';

/** Where a database begins. */
export interface BoltMeta {
  readonly pageSize: number;
  /** The page of the bucket that holds all buckets. */
  readonly root: bigint;
  readonly txid: bigint;
}

const magic = 0xed0cdaed;
const formatVersion = 2;
const metaOffset = 16;
const checkedBytes = 56;
const metaBytes = metaOffset + checkedBytes + 8;

/** Page sizes that operating systems use; needed only if the first of the two meta pages is broken. */
const pageSizes = [4096, 8192, 16_384, 65_536];

/** The newer of the two meta pages that is sound. Throws `SnapshotError` if neither is. */
export async function readMeta(readAt: ReadAt): Promise<BoltMeta> {
  const first = parseMeta(await readAt(0, metaBytes));
  const sizes = first ? [first.pageSize] : pageSizes;
  for (const size of sizes) {
    const second = parseMeta(await readAt(size, metaBytes));
    if (second && second.pageSize === size) return first && first.txid > second.txid ? first : second;
  }
  if (first) return first;
  throw new SnapshotError('Malformed', 'no sound meta page: not a database of etcd, or a broken one');
}

function parseMeta(bytes: Uint8Array): BoltMeta | undefined {
  if (bytes.byteLength < metaBytes) return undefined;
  const meta = Buffer.from(bytes.buffer, bytes.byteOffset + metaOffset, checkedBytes + 8);
  if (meta.readUInt32LE(0) !== magic || meta.readUInt32LE(4) !== formatVersion) return undefined;
  if (fnv1a(meta.subarray(0, checkedBytes)) !== meta.readBigUInt64LE(checkedBytes)) return undefined;
  const pageSize = meta.readUInt32LE(8);
  if (pageSize < 512 || pageSize > 1024 * 1024) return undefined;
  return { pageSize, root: meta.readBigUInt64LE(16), txid: meta.readBigUInt64LE(48) };
}

/** The 64-bit FNV-1a hash that bbolt guards its meta pages with. */
function fnv1a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
