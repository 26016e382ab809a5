// SPDX-License-Identifier: Apache-2.0
import type { ReadAt } from './bolt-page.ts';
import { SnapshotError } from './snapshot-error.ts';

/** A key of a bucket with its value: views of a page; copy them to keep them. */
export interface BoltEntry {
  readonly key: Buffer;
  readonly value: Buffer;
  /** Where the value lies in the file. */
  readonly offset: number;
}

/** The tree of a bucket. */
export interface BoltTree {
  readonly readAt: ReadAt;
  readonly pageSize: number;
  /** The offset of its first page, and how many bytes of it to fetch at once. */
  readonly root: { readonly base: number; readonly head: number };
  /** Length of the file: no valid tree has more pages than fit in it. */
  readonly fileBytes: number;
}

const headerBytes = 16;
const elementBytes = 16;
const branchFlag = 0x01;
const leafFlag = 0x02;
const bucketFlag = 0x01;
const maxDepth = 32;

/** Far above etcd's limit for one request. */
const longestPage = 256 * 1024 * 1024;

/**
 * Every entry of a bucket in key order, a leaf at a time. Holds one page of each level. The file is untrusted: the
 * number of reads is always limited and every failure is a `SnapshotError`.
 */
export async function* walkLeaves(tree: BoltTree): AsyncGenerator<readonly BoltEntry[]> {
  let left = Math.ceil(tree.fileBytes / tree.pageSize) + 1;
  const visit = async function* (base: number, head: number, depth: number): AsyncGenerator<readonly BoltEntry[]> {
    left -= 1;
    if (left < 0 || depth > maxDepth) throw damaged('its page tree has a loop');
    const page = await wholePage(tree, base, head);
    const flags = page.readUInt16LE(8);
    const count = page.readUInt16LE(10);
    if ((flags & leafFlag) !== 0) {
      yield leafEntries(page, count, base);
      return;
    }
    if ((flags & branchFlag) === 0) throw damaged(`the page at offset ${base} is neither a branch nor a leaf`);
    for (let index = 0; index < count; index++) {
      const child = Number(slice(page, headerBytes + index * elementBytes, elementBytes).readBigUInt64LE(8));
      yield* visit(child * tree.pageSize, tree.pageSize, depth + 1);
    }
  };
  yield* visit(tree.root.base, tree.root.head, 0);
}

async function wholePage({ readAt, pageSize, fileBytes }: BoltTree, base: number, head: number): Promise<Buffer> {
  if (!(base + headerBytes <= fileBytes)) throw damaged(`it refers to a page at offset ${base}, beyond its end`);
  const first = Buffer.from(await readAt(base, head));
  const length = head === pageSize ? (1 + slice(first, 12, 4).readUInt32LE(0)) * pageSize : head;
  if (length <= first.byteLength) return first;
  if (length > longestPage || base + length > fileBytes)
    throw damaged(`the page at offset ${base} has ${length} bytes, which is more than it can have`);
  return Buffer.concat([first, await readAt(base + first.byteLength, length - first.byteLength)]);
}

function leafEntries(page: Buffer, count: number, base: number): readonly BoltEntry[] {
  const entries: BoltEntry[] = [];
  for (let index = 0; index < count; index++) {
    const at = headerBytes + index * elementBytes;
    const element = slice(page, at, elementBytes);
    if ((element.readUInt32LE(0) & bucketFlag) !== 0) continue;
    const keyAt = at + element.readUInt32LE(4);
    const key = slice(page, keyAt, element.readUInt32LE(8));
    const valueAt = keyAt + key.byteLength;
    entries.push({ key, value: slice(page, valueAt, element.readUInt32LE(12)), offset: base + valueAt });
  }
  return entries;
}

function slice(page: Buffer, start: number, length: number): Buffer {
  if (start + length > page.byteLength) throw damaged('an element is beyond the end of its page');
  return page.subarray(start, start + length);
}

function damaged(why: string): SnapshotError {
  return new SnapshotError('Malformed', `the database file is damaged: ${why}`);
}
