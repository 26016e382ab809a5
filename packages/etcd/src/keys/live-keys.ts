// SPDX-License-Identifier: Apache-2.0
import { isEtcdError } from '../client/etcd-error.ts';
import type { RangeRequest, RangeResponse } from '../client/messages/kv-messages.ts';
import { type KeyValueStore, prefixEnd } from '../client/services/kv.ts';
import type { ListedKey } from '../snapshot/snapshot-keys.ts';

/** How many keys the first page may have: the sizes of the values are not known yet. */
const firstPage = 64;

/**
 * The target size of a page: half of the message limit. etcd counts the rest of the range for every page, so that the
 * total time grows with the square of the number of pages.
 */
const pageBytes = 8 * 1024 * 1024;
const mostKeys = 8_192;

/** The overhead of a key, in memory and in the answer. */
const besideValue = 64;

/**
 * The timeout for one page: etcd reads and counts the whole page before it answers, which may take long in a busy
 * cluster.
 */
const pageMs = 30_000;

export interface LiveAsked {
  readonly prefix: Uint8Array;
  /** The revision that all pages share. */
  readonly revision: bigint;
  readonly signal: AbortSignal;
}

/**
 * The keys of a member at a revision, in key order, with their values. Rejects with `Compacted` if that revision is
 * compacted before the last page: the caller starts again at a newer one.
 */
export async function* liveKeys(
  store: Pick<KeyValueStore, 'range'>,
  { prefix, revision, signal }: LiveAsked,
): AsyncGenerator<ListedKey> {
  const rangeEnd = prefixEnd(prefix);
  // The range of an empty prefix begins at the lowest possible key.
  let key: Uint8Array = prefix.byteLength === 0 ? Uint8Array.of(0) : prefix;
  let limit = firstPage;
  for (;;) {
    const { kvs, more, asked } = await page(store, { key, rangeEnd, revision }, limit, signal);
    limit = nextLimit(kvs, asked);
    for (const { value, ...found } of kvs) {
      // The range of a prefix that contains only 0xff bytes has no end.
      if (!Buffer.from(found.key.subarray(0, prefix.byteLength)).equals(prefix)) return;
      yield { ...found, valueBytes: value.byteLength, value: async () => value };
    }
    const last = kvs.at(-1);
    if (!more || !last) return;
    key = Buffer.concat([last.key, Uint8Array.of(0)]);
  }
}

/**
 * How many keys the next page may have, by the sizes of the keys and values so far. At most four times as many as
 * before, because the next values may be larger.
 */
function nextLimit(kvs: RangeResponse['kvs'], asked: number): number {
  const bytes = kvs.reduce((sum, { key, value }) => sum + key.byteLength + value.byteLength + besideValue, 0);
  const fitting = Math.floor((pageBytes * kvs.length) / Math.max(1, bytes));
  return Math.max(1, Math.min(mostKeys, 4 * asked, fitting));
}

/**
 * Requests one page. If the answer is too large, requests fewer keys, down to a single one. There are few such steps,
 * because etcd reads the whole range for each of them.
 */
async function page(
  store: Pick<KeyValueStore, 'range'>,
  range: RangeRequest,
  asked: number,
  signal: AbortSignal,
): Promise<RangeResponse & { readonly asked: number }> {
  try {
    const answer = await store.range({ ...range, limit: BigInt(asked) }, { signal, timeoutMs: pageMs });
    return { ...answer, asked };
  } catch (error) {
    if (!isEtcdError(error, 'BadResponse') || asked === 1) throw error;
    return page(store, range, Math.ceil(asked / 8), signal);
  }
}
