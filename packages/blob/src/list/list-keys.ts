// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import type { BlobInfo } from '../blob-store.ts';
import type { ListPage } from '../store-driver.ts';

/** A store may return empty pages, but not forever. */
const mostEmptyPages = 100;

export interface Listing {
  readonly prefix: string;
  /** False for the few stores with another order; then every key is remembered. */
  readonly isOrdered: boolean;
  readonly page: (from: string | undefined) => Promise<ListPage>;
}

/**
 * The objects of a listing, page by page, as long as the listing is correct: keys with the prefix, each after the one
 * before. An incorrect listing ends with `BadListing`, after at most one useless page, or a hundred empty ones.
 */
export async function* listKeys({ prefix, isOrdered, page }: Listing): AsyncGenerator<BlobInfo, void, undefined> {
  const keys = new KeysSoFar(prefix, isOrdered);
  let emptyPages = 0;
  for (let from: string | undefined; ; ) {
    const { items, next } = await page(from);
    for (const item of items) {
      keys.add(item.key);
      yield item;
    }
    if (next === undefined) return;
    emptyPages = items.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > mostEmptyPages)
      throw bad(prefix, `the backup store returned ${emptyPages} empty pages and says that more follow`);
    from = next;
  }
}

/** Refuses a key that is not after the previous one. */
class KeysSoFar {
  readonly #prefix: string;
  readonly #isOrdered: boolean;
  readonly #seen = new Set<string>();
  #last: string | undefined;

  constructor(prefix: string, isOrdered: boolean) {
    this.#prefix = prefix;
    this.#isOrdered = isOrdered;
  }

  add(key: string): void {
    const problem = this.#problem(key);
    if (problem !== undefined) throw bad(this.#prefix, `the backup store listed ${shown(key)} ${problem}`);
    if (!this.#isOrdered) this.#seen.add(key);
    this.#last = key;
  }

  #problem(key: string): string | undefined {
    const last = this.#last;
    if (!key.startsWith(this.#prefix)) return 'although it does not have this prefix';
    if (key === last || this.#seen.has(key)) return 'twice';
    if (!this.#isOrdered || last === undefined || isAfter(key, last)) return undefined;
    return `after ${shown(last)}, which is out of order`;
  }
}

function bad(prefix: string, problem: string): BlobError {
  return new BlobError('BadListing', `listing ${prefix}*: ${problem}; the listing is not used`);
}

/**
 * True if a key comes after another one in the order of bytes or of UTF-16 units: each store uses one of these orders.
 * They differ only for characters that are rare in keys.
 */
export function isAfter(key: string, before: string): boolean {
  return key > before || Buffer.compare(Buffer.from(key), Buffer.from(before)) > 0;
}

function shown(key: string): string {
  return JSON.stringify(key.slice(0, 200));
}
