// SPDX-License-Identifier: Apache-2.0
import { type BranchItem, elementBytes, type LeafItem, type NewPages, pageHeaderBytes } from './new-pages.ts';

/** The unwritten part of one level of a tree: the items of its last page. */
interface Level<Item> {
  items: Item[];
  bytes: number;
}

/** bbolt requires at least two children per branch, and panics otherwise. */
const fewestChildren = 2;

/**
 * Writes the right edge of a tree: entries are added in key order, after all existing ones. Holds one page of each
 * level, however many entries there are.
 */
export class TreeAppender {
  readonly #pages: NewPages;
  #leaf: Level<LeafItem> = { items: [], bytes: pageHeaderBytes };
  /** The levels of branches, from the parents of leaves up. */
  readonly #branches: Level<BranchItem>[] = [];

  /**
   * @param edge the existing tree: for each level of branches, from the lowest up, the items that stay in its last
   * page. With an edge, at least one entry must be added.
   */
  constructor(pages: NewPages, edge: readonly (readonly BranchItem[])[] = []) {
    this.#pages = pages;
    // From the top down: items that do not fit are appended to the level above.
    for (const [index, items] of edge.toReversed().entries()) {
      for (const item of items) this.#addChild(edge.length - 1 - index, item);
    }
  }

  add(item: LeafItem): void {
    const bytes = elementBytes + item.key.byteLength + item.value.byteLength;
    if (this.#leaf.items.length > 0 && this.#leaf.bytes + bytes > this.#pages.pageSize) this.#writeLeaf();
    this.#leaf.items.push(item);
    this.#leaf.bytes += bytes;
  }

  /** Writes the pages that are not written yet. Returns the number of the root page of the tree. */
  finish(): number {
    const top = this.#branches.length;
    if (top === 0) return this.#pages.leaf(this.#leaf.items, this.#leaf.bytes);
    if (this.#leaf.items.length > 0) this.#writeLeaf();
    // Finishing a level may add a level above it.
    for (let level = 0; ; level++) {
      const { items, bytes } = this.#level(level);
      const id = this.#pages.branch(items, bytes);
      if (level === this.#branches.length - 1) return id;
      this.#addChild(level + 1, { key: firstKey(items), child: id });
    }
  }

  #writeLeaf(): void {
    const { items, bytes } = this.#leaf;
    this.#leaf = { items: [], bytes: pageHeaderBytes };
    this.#addChild(0, { key: firstKey(items), child: this.#pages.leaf(items, bytes) });
  }

  #addChild(level: number, item: BranchItem): void {
    const branch = this.#level(level);
    const bytes = elementBytes + item.key.byteLength;
    if (branch.items.length > fewestChildren && branch.bytes + bytes > this.#pages.pageSize) {
      // The last item moves to the next page, so that the next page gets at least two items.
      const [last] = branch.items.splice(-1);
      const { items } = branch;
      const lastBytes = last ? elementBytes + last.key.byteLength : 0;
      const id = this.#pages.branch(items, branch.bytes - lastBytes);
      branch.items = last ? [last] : [];
      branch.bytes = pageHeaderBytes + lastBytes;
      this.#addChild(level + 1, { key: firstKey(items), child: id });
    }
    branch.items.push(item);
    branch.bytes += bytes;
  }

  #level(level: number): Level<BranchItem> {
    while (this.#branches.length <= level) this.#branches.push({ items: [], bytes: pageHeaderBytes });
    return this.#branches[level] ?? { items: [], bytes: pageHeaderBytes };
  }
}

function firstKey(items: readonly { readonly key: Uint8Array }[]): Uint8Array {
  return items[0]?.key ?? new Uint8Array(0);
}
