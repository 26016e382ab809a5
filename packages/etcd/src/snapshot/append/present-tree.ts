// SPDX-License-Identifier: Apache-2.0
import { BoltPage, type PageElement, type ReadAt } from '../bolt-page.ts';
import { walkLeaves } from '../bolt-walk.ts';
import { SnapshotError } from '../snapshot-error.ts';
import type { BranchItem, LeafItem } from './new-pages.ts';

/** A tree of a bbolt file. */
export interface Tree {
  readonly readAt: ReadAt;
  readonly pageSize: number;
  /** How many pages the file has. */
  readonly pages: bigint;
}

/** A tree of a billion pages has about ten levels; more is a loop. */
const maxDepth = 32;

/** The right edge of a tree: for each level of branches, from the lowest up, the items that stay in its last page. */
export type RightEdge = readonly (readonly BranchItem[])[];

/**
 * The right edge of a tree to which entries are added. Leaves are unchanged: the lowest branch keeps all its children.
 * A branch above it does not keep its last child, which is rewritten.
 */
export async function rightEdge(tree: Tree, root: bigint): Promise<RightEdge> {
  const edge: BranchItem[][] = [];
  let id = root;
  for (let depth = 0; depth < maxDepth; depth++) {
    const page = await readPage(tree, id);
    if (!page.isBranch) return closed(edge, id, page);
    const children = await elementsOf(page);
    const last = children.at(-1);
    if (!last) throw damaged('a branch has no children');
    edge.unshift(children.map(({ key, child }) => ({ key, child: Number(child) })));
    id = last.child;
  }
  throw damaged('its page tree has a loop');
}

async function closed(edge: readonly BranchItem[][], leaf: bigint, page: BoltPage): Promise<RightEdge> {
  const [lowest, ...higher] = edge;
  if (lowest) return [lowest, ...higher.map((items) => items.slice(0, -1))];
  if (page.count === 0) return [];
  const { key } = await page.element(0);
  return [[{ key: Uint8Array.from(key), child: Number(leaf) }]];
}

/** Every entry of the root bucket: a few, each with the root of its own tree. */
export async function topLevel(tree: Tree, root: bigint): Promise<readonly LeafItem[]> {
  const items: LeafItem[] = [];
  const visit = async (id: bigint, depth: number): Promise<void> => {
    if (depth > maxDepth) throw damaged('its page tree has a loop');
    const page = await readPage(tree, id);
    for (const { key, child, value } of await elementsOf(page)) {
      if (page.isBranch) await visit(child, depth + 1);
      else items.push({ key, value: await bucketValue(tree, value), isBucket: value.isBucket });
      if (items.length > mostBuckets) throw damaged(`it has more than ${mostBuckets} buckets`);
    }
  };
  await visit(root, 0);
  return items;
}

/** etcd has about ten buckets; small ones are stored in the leaf itself. */
const mostBuckets = 1000;
const longestBucket = 1024 * 1024;
const bucketHeaderBytes = 16;

async function bucketValue({ readAt }: Tree, { offset, length }: PageElement['value']): Promise<Uint8Array> {
  if (length < bucketHeaderBytes || length > longestBucket)
    throw damaged(`a bucket has ${length} bytes in the leaf of all buckets`);
  const value = Uint8Array.from(await readAt(offset, length));
  if (value.byteLength < length) throw damaged('it ends inside a bucket');
  return value;
}

/** The entries of an inline bucket: the bytes after the 16 bytes of its header. */
export async function inlineEntries(header: Uint8Array): Promise<readonly LeafItem[]> {
  const bytes = header.subarray(bucketHeaderBytes);
  const readAt: ReadAt = async (offset, length) => bytes.subarray(offset, offset + length);
  const items: LeafItem[] = [];
  const root = { base: 0, head: bytes.byteLength };
  for await (const leaf of walkLeaves({ readAt, pageSize: 0, root, fileBytes: bytes.byteLength })) items.push(...leaf);
  return items;
}

/** All entries of a bucket, in order; none if there is no such bucket. */
export async function* bucketEntries(tree: Tree, header: Uint8Array | undefined): AsyncGenerator<LeafItem> {
  if (!header) return;
  const id = Buffer.from(header).readBigUInt64LE(0);
  if (id === 0n) {
    yield* await inlineEntries(header);
    return;
  }
  const { readAt, pageSize, pages } = tree;
  const root = { base: Number(id) * pageSize, head: pageSize };
  for await (const leaf of walkLeaves({ readAt, pageSize, root, fileBytes: Number(pages) * pageSize })) yield* leaf;
}

async function elementsOf(page: BoltPage): Promise<readonly PageElement[]> {
  const elements: PageElement[] = [];
  for (let index = 0; index < page.count; index++) {
    const element = await page.element(index);
    elements.push({ ...element, key: Uint8Array.from(element.key) });
  }
  return elements;
}

async function readPage({ readAt, pageSize, pages }: Tree, id: bigint): Promise<BoltPage> {
  if (id < 2n || id >= pages) throw damaged(`it refers to page ${id} of ${pages}`);
  return BoltPage.read(readAt, Number(id) * pageSize, pageSize);
}

function damaged(why: string): SnapshotError {
  return new SnapshotError('Malformed', `the database file is damaged: ${why}`);
}
