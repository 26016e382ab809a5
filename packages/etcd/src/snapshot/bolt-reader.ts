// SPDX-License-Identifier: Apache-2.0
import { readMeta } from './bolt-meta.ts';
import { BoltPage, type PageElement, type ReadAt } from './bolt-page.ts';
import { type BoltEntry, walkLeaves } from './bolt-walk.ts';
import { SnapshotError } from './snapshot-error.ts';

/** The root of a bucket's own tree. */
interface BucketRoot {
  readonly base: number;
  /** How much of its first page to fetch at once. */
  readonly head: number;
}

/** A tree of a billion pages has about ten levels; more is a loop. */
const maxDepth = 32;

/** Bytes before the page of an inline bucket: root page and sequence. */
const bucketHeaderBytes = 16;

/**
 * Reads single keys of a bbolt file with a few ranged reads, or a whole bucket in order. The file is untrusted: the
 * number of reads is always limited and every failure is a `SnapshotError`.
 */
export class BoltReader {
  readonly #readAt: ReadAt;
  readonly #pageSize: number;
  readonly #root: BucketRoot;

  private constructor(readAt: ReadAt, pageSize: number, root: bigint) {
    this.#readAt = readAt;
    this.#pageSize = pageSize;
    this.#root = this.#page(root);
  }

  static async open(readAt: ReadAt): Promise<BoltReader> {
    const { pageSize, root } = await readMeta(readAt);
    return new BoltReader(readAt, pageSize, root);
  }

  async has(bucket: string): Promise<boolean> {
    return (await this.#bucket(bucket)) !== undefined;
  }

  /** The last key of a bucket; undefined if the bucket is empty or absent. */
  async lastKey(bucket: string): Promise<Uint8Array | undefined> {
    const root = await this.#bucket(bucket);
    if (!root) return undefined;
    const element = await this.#descend(root, async (page) => page.count - 1);
    return element?.key;
  }

  /** The value of a key of a bucket, at most `limit` bytes of it; undefined if the bucket or the key is absent. */
  async value(bucket: string, key: string, limit = 64): Promise<Uint8Array | undefined> {
    const root = await this.#bucket(bucket);
    const element = root && (await this.#find(root, key));
    if (!element || element.value.isBucket) return undefined;
    return this.#readAt(element.value.offset, Math.min(limit, element.value.length));
  }

  /** Every entry of a bucket in order, a leaf at a time; nothing if it is absent. */
  async *leaves(bucket: string, fileBytes: number): AsyncGenerator<readonly BoltEntry[]> {
    const root = await this.#bucket(bucket);
    if (root) yield* walkLeaves({ readAt: this.#readAt, pageSize: this.#pageSize, root, fileBytes });
  }

  async #bucket(name: string): Promise<BucketRoot | undefined> {
    const element = await this.#find(this.#root, name);
    if (!element?.value.isBucket) return undefined;
    const { offset, length } = element.value;
    const header = Buffer.from(await this.#readAt(offset, bucketHeaderBytes));
    if (header.byteLength < bucketHeaderBytes)
      throw new SnapshotError('Malformed', `the database file is damaged: bucket ${name} is incomplete`);
    const root = header.readBigUInt64LE(0);
    if (root !== 0n) return this.#page(root);
    return { base: offset + bucketHeaderBytes, head: Math.min(length - bucketHeaderBytes, this.#pageSize) };
  }

  async #find(root: BucketRoot, key: string): Promise<PageElement | undefined> {
    const wanted = Buffer.from(key);
    const element = await this.#descend(root, (page) => lastNotAfter(page, wanted));
    return element && wanted.equals(element.key) ? element : undefined;
  }

  /** From the root to a leaf, through the element that `choose` selects on each page; undefined if it selects none. */
  async #descend(root: BucketRoot, choose: (page: BoltPage) => Promise<number>): Promise<PageElement | undefined> {
    let place = root;
    for (let depth = 0; depth < maxDepth; depth++) {
      const page = await BoltPage.read(this.#readAt, place.base, place.head);
      const index = await choose(page);
      if (index < 0) return undefined;
      const element = await page.element(index);
      if (!page.isBranch) return element;
      place = this.#page(element.child);
    }
    throw new SnapshotError('Malformed', 'the database file is damaged: its page tree has a loop');
  }

  #page(id: bigint): BucketRoot {
    const base = Number(id) * this.#pageSize;
    if (!Number.isSafeInteger(base))
      throw new SnapshotError('Malformed', `the database file is damaged: it refers to page ${id}, which cannot exist`);
    return { base, head: this.#pageSize };
  }
}

/** The index of the last element whose key is not after `wanted`, by binary search; -1 if there is none. */
async function lastNotAfter(page: BoltPage, wanted: Buffer): Promise<number> {
  let low = 0;
  let high = page.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { key } = await page.element(middle);
    if (Buffer.compare(Buffer.from(key), wanted) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
