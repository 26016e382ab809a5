// SPDX-License-Identifier: Apache-2.0

/** One key of a leaf with its value; `isBucket` if the value is the root of another tree. */
export interface LeafItem {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly isBucket?: boolean;
}

/** One child of a branch, by its first key. */
export interface BranchItem {
  readonly key: Uint8Array;
  readonly child: number;
}

export const pageHeaderBytes = 16;
export const elementBytes = 16;

const branchFlag = 0x01;
const leafFlag = 0x02;

/**
 * Pages after the last page of a file, numbered as they are written. Written pages wait for `take`. Without `encodes`,
 * pages are only counted.
 */
export class NewPages {
  readonly pageSize: number;
  readonly #encodes: boolean;
  #next: number;
  #written: Buffer[] = [];

  constructor(pageSize: number, first: number, { encodes }: { readonly encodes: boolean }) {
    this.pageSize = pageSize;
    this.#next = first;
    this.#encodes = encodes;
  }

  /** The number of the next page, which is the current number of pages. */
  get next(): number {
    return this.#next;
  }

  /** Writes a leaf and returns its page number. A large leaf continues on the following pages. */
  leaf(items: readonly LeafItem[], bytes: number): number {
    const { id, page } = this.#page(leafFlag, items.length, bytes);
    if (!page) return id;
    let at = pageHeaderBytes + elementBytes * items.length;
    for (const [index, { key, value, isBucket }] of items.entries()) {
      const element = pageHeaderBytes + elementBytes * index;
      page.writeUInt32LE(isBucket ? 1 : 0, element);
      page.writeUInt32LE(at - element, element + 4);
      page.writeUInt32LE(key.byteLength, element + 8);
      page.writeUInt32LE(value.byteLength, element + 12);
      page.set(key, at);
      page.set(value, at + key.byteLength);
      at += key.byteLength + value.byteLength;
    }
    return id;
  }

  /** Writes a branch and returns its page number. */
  branch(items: readonly BranchItem[], bytes: number): number {
    const { id, page } = this.#page(branchFlag, items.length, bytes);
    if (!page) return id;
    let at = pageHeaderBytes + elementBytes * items.length;
    for (const [index, { key, child }] of items.entries()) {
      const element = pageHeaderBytes + elementBytes * index;
      page.writeUInt32LE(at - element, element);
      page.writeUInt32LE(key.byteLength, element + 4);
      page.writeBigUInt64LE(BigInt(child), element + 8);
      page.set(key, at);
      at += key.byteLength;
    }
    return id;
  }

  /** The pages written since the last call. */
  take(): readonly Buffer[] {
    const written = this.#written;
    this.#written = [];
    return written;
  }

  #page(flag: number, count: number, bytes: number): { readonly id: number; readonly page: Buffer | undefined } {
    const id = this.#next;
    const pages = Math.max(1, Math.ceil(bytes / this.pageSize));
    this.#next += pages;
    if (!this.#encodes) return { id, page: undefined };
    const page = Buffer.alloc(pages * this.pageSize);
    page.writeBigUInt64LE(BigInt(id), 0);
    page.writeUInt16LE(flag, 8);
    page.writeUInt16LE(count, 10);
    page.writeUInt32LE(pages - 1, 12);
    this.#written.push(page);
    return { id, page };
  }
}
