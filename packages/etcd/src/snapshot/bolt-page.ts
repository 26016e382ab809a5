// SPDX-License-Identifier: Apache-2.0
import { SnapshotError } from './snapshot-error.ts';

/** Reads `length` bytes from `offset`; fewer only at the end of the file. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>;

/** Sizes of bbolt's file format (version 2, little-endian). */
const headerBytes = 16;
const elementBytes = 16;

const branchFlag = 0x01;
const leafFlag = 0x02;

/** One key of a page: in a branch it has a child page, in a leaf a value. */
export interface PageElement {
  readonly key: Uint8Array;
  /** Branch: the child. */
  readonly child: bigint;
  /** Leaf: the position of the value, and whether it is a bucket. */
  readonly value: { readonly offset: number; readonly length: number; readonly isBucket: boolean };
}

/**
 * A branch or leaf page, read only as far as necessary: large values are not read. `base` is the offset of the page in
 * the file; for an inline bucket it is inside another page.
 */
export class BoltPage {
  readonly #readAt: ReadAt;
  readonly #base: number;
  readonly #head: Buffer;
  readonly isBranch: boolean;
  readonly count: number;

  private constructor(readAt: ReadAt, base: number, head: Buffer) {
    this.#readAt = readAt;
    this.#base = base;
    this.#head = head;
    const flags = head.readUInt16LE(8);
    if ((flags & (branchFlag | leafFlag)) === 0)
      throw new SnapshotError(
        'Malformed',
        `the database file is damaged: the page at offset ${base} is neither a branch nor a leaf`,
      );
    this.isBranch = (flags & branchFlag) !== 0;
    this.count = head.readUInt16LE(10);
  }

  /** @param head how many bytes to fetch first; the rest is fetched when needed. */
  static async read(readAt: ReadAt, base: number, head: number): Promise<BoltPage> {
    const bytes = Buffer.from(await readAt(base, head));
    if (bytes.byteLength < headerBytes)
      throw new SnapshotError('Malformed', `the database file is incomplete: it ends before offset ${base}`);
    return new BoltPage(readAt, base, bytes);
  }

  /** The element at `index`, which must be below `count`. */
  async element(index: number): Promise<PageElement> {
    const at = headerBytes + index * elementBytes;
    const raw = await this.#bytes(at, elementBytes);
    if (this.isBranch) {
      const key = await this.#bytes(at + raw.readUInt32LE(0), keyLength(raw.readUInt32LE(4)));
      return { key, child: raw.readBigUInt64LE(8), value: { offset: 0, length: 0, isBucket: false } };
    }
    const keyStart = at + raw.readUInt32LE(4);
    const keyBytes = keyLength(raw.readUInt32LE(8));
    const value = {
      offset: this.#base + keyStart + keyBytes,
      length: raw.readUInt32LE(12),
      isBucket: (raw.readUInt32LE(0) & 1) !== 0,
    };
    return { key: await this.#bytes(keyStart, keyBytes), child: 0n, value };
  }

  async #bytes(start: number, length: number): Promise<Buffer> {
    if (start + length <= this.#head.byteLength) return this.#head.subarray(start, start + length);
    const bytes = Buffer.from(await this.#readAt(this.#base + start, length));
    if (bytes.byteLength < length)
      throw new SnapshotError('Malformed', 'the database file is incomplete or damaged: an element is beyond its end');
    return bytes;
  }
}

/**
 * A checked length of a key. Keys of etcd's buckets are short, and the keys of users are part of values: a long key
 * means an invalid file.
 */
function keyLength(length: number): number {
  if (length > 32_768)
    throw new SnapshotError(
      'Malformed',
      `the database file is damaged: it has a key of ${length} bytes, which is longer than bbolt allows`,
    );
  return length;
}
