// SPDX-License-Identifier: Apache-2.0

/** A bucket to be written: its keys in order. */
export interface BucketContent {
  readonly name: string;
  readonly entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[];
  /** Stored inside the root's leaf, as bbolt does with small buckets. */
  readonly inline?: boolean;
}

const pageSize = 4096;
const branch = 0x01;
const leaf = 0x02;
const meta = 0x04;

interface Item {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly flags?: number;
  readonly child?: number;
}

/**
 * Writes a bbolt file with these buckets: leaves with at most `perPage` keys below one branch. Independent of the
 * reader.
 */
export function boltFile(buckets: readonly BucketContent[], perPage = 3): Buffer {
  const pages: Buffer[] = [Buffer.alloc(0), Buffer.alloc(0)];
  const roots = [...buckets]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((bucket): Item => {
      const value = bucket.inline ? inlineBucket(bucket) : bucketHeader(tree(bucket, perPage, pages));
      return { key: Buffer.from(bucket.name), value, flags: 1 };
    });
  const root = add(pages, (id) => page(id, leaf, roots));
  const file = pages.map((content) => content);
  file[0] = metaPage(0, root, 5n, pages.length);
  file[1] = metaPage(1, root, 6n, pages.length);
  return Buffer.concat(file);
}

/** A revision as etcd stores it. */
export function revisionKey(main: bigint, sub = 0n): Buffer {
  const bytes = Buffer.alloc(17, '_');
  bytes.writeBigInt64BE(main, 0);
  bytes.writeBigInt64BE(sub, 9);
  return bytes;
}

function tree(bucket: BucketContent, perPage: number, pages: Buffer[]): number {
  const chunks: Item[][] = [];
  for (let start = 0; start < bucket.entries.length; start += perPage) {
    chunks.push(bucket.entries.slice(start, start + perPage).map(([key, value]) => ({ key, value })));
  }
  if (chunks.length <= 1) return add(pages, (id) => page(id, leaf, chunks[0] ?? []));
  const children = chunks.map((items): Item => {
    const child = add(pages, (id) => page(id, leaf, items));
    return { key: items[0]?.key ?? Buffer.alloc(0), value: Buffer.alloc(0), child };
  });
  return add(pages, (id) => page(id, branch, children));
}

/** Adds a page, with overflow pages if necessary, and returns its number. */
function add(pages: Buffer[], make: (id: number) => Buffer): number {
  const id = pages.length;
  const content = make(id);
  for (let start = 0; start < content.byteLength; start += pageSize)
    pages.push(content.subarray(start, start + pageSize));
  return id;
}

function inlineBucket(bucket: BucketContent): Buffer {
  const items = bucket.entries.map(([key, value]): Item => ({ key, value }));
  return Buffer.concat([bucketHeader(0), body(0, leaf, items, 0)]);
}

function bucketHeader(root: number): Buffer {
  const header = Buffer.alloc(16);
  header.writeBigUInt64LE(BigInt(root), 0);
  return header;
}

function page(id: number, flags: number, items: readonly Item[]): Buffer {
  const content = body(id, flags, items, 0);
  const count = Math.ceil(content.byteLength / pageSize);
  return Buffer.concat([body(id, flags, items, count - 1)], count * pageSize);
}

function body(id: number, flags: number, items: readonly Item[], overflow: number): Buffer {
  const head = Buffer.alloc(16 + 16 * items.length);
  head.writeBigUInt64LE(BigInt(id), 0);
  head.writeUInt16LE(flags, 8);
  head.writeUInt16LE(items.length, 10);
  head.writeUInt32LE(overflow, 12);
  const data: Uint8Array[] = [];
  let position = head.byteLength;
  for (const [index, item] of items.entries()) {
    const at = 16 + 16 * index;
    if (flags === branch) {
      head.writeUInt32LE(position - at, at);
      head.writeUInt32LE(item.key.byteLength, at + 4);
      head.writeBigUInt64LE(BigInt(item.child ?? 0), at + 8);
    } else {
      head.writeUInt32LE(item.flags ?? 0, at);
      head.writeUInt32LE(position - at, at + 4);
      head.writeUInt32LE(item.key.byteLength, at + 8);
      head.writeUInt32LE(item.value.byteLength, at + 12);
    }
    data.push(item.key, item.value);
    position += item.key.byteLength + item.value.byteLength;
  }
  return Buffer.concat([head, ...data]);
}

function metaPage(id: number, root: number, txid: bigint, pages: number): Buffer {
  const bytes = Buffer.alloc(pageSize);
  bytes.writeBigUInt64LE(BigInt(id), 0);
  bytes.writeUInt16LE(meta, 8);
  bytes.writeUInt32LE(0xed0cdaed, 16);
  bytes.writeUInt32LE(2, 20);
  bytes.writeUInt32LE(pageSize, 24);
  bytes.writeBigUInt64LE(BigInt(root), 32);
  bytes.writeBigUInt64LE(BigInt(pages), 56);
  bytes.writeBigUInt64LE(txid, 64);
  bytes.writeBigUInt64LE(checksum(bytes.subarray(16, 72)), 72);
  return bytes;
}

function checksum(bytes: Uint8Array): bigint {
  return bytes.reduce((hash, byte) => ((hash ^ BigInt(byte)) * 0x100000001b3n) % 2n ** 64n, 0xcbf29ce484222325n);
}
