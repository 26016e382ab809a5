// SPDX-License-Identifier: Apache-2.0
import { isEtcdError } from '../client/etcd-error.ts';
import type { RangeRequest, RangeResponse } from '../client/messages/kv-messages.ts';
import { type KeyValueStore, prefixEnd } from '../client/services/kv.ts';
import type { ListedKey } from '../snapshot/snapshot-keys.ts';

/** For the first page, of values whose size is not known yet. */
const firstPage = 64;

/**
 * What a page should have: half of what is taken in one message. etcd counts the rest of the range for every page, so that the time for all of them grows
 * with the square of their number.
 */
const pageBytes = 8 * 1024 * 1024;
const mostKeys = 8_192;

/** What a key has beside its name and its value, in memory and in the answer. */
const besideValue = 64;

/** For one page: etcd reads and counts it at once, and a busy cluster may take its time. */
const pageMs = 30_000;

export interface LiveAsked {
  readonly prefix: Uint8Array;
  /** So that all pages are of the same moment. */
  readonly revision: bigint;
  readonly signal: AbortSignal;
}

/**
 * The keys that a member has at a revision, in the order of keys, with their values. Rejects with `Compacted` if that revision is compacted before the last page was read:
 * whoever calls begins again, at a newer one.
 */
export async function* liveKeys(
  store: Pick<KeyValueStore, 'range'>,
  { prefix, revision, signal }: LiveAsked,
): AsyncGenerator<ListedKey> {
  const rangeEnd = prefixEnd(prefix);
  // The range of an empty prefix begins at the lowest key that there can be.
  let key: Uint8Array = prefix.byteLength === 0 ? Uint8Array.of(0) : prefix;
  let limit = firstPage;
  for (;;) {
    const { kvs, more, asked } = await page(store, { key, rangeEnd, revision }, limit, signal);
    limit = nextLimit(kvs, asked);
    for (const { value, ...found } of kvs) {
      // All keys from 0xff on are in the range of a prefix of nothing but 0xff.
      if (!Buffer.from(found.key.subarray(0, prefix.byteLength)).equals(prefix)) return;
      yield { ...found, valueBytes: value.byteLength, value: async () => value };
    }
    const last = kvs.at(-1);
    if (!more || !last) return;
    key = Buffer.concat([last.key, Uint8Array.of(0)]);
  }
}

/** By the size of the keys before, and at most four times as many at once: those that follow may be larger. */
function nextLimit(kvs: RangeResponse['kvs'], asked: number): number {
  const bytes = kvs.reduce((sum, { key, value }) => sum + key.byteLength + value.byteLength + besideValue, 0);
  const fitting = Math.floor((pageBytes * kvs.length) / Math.max(1, bytes));
  return Math.max(1, Math.min(mostKeys, 4 * asked, fitting));
}

/** An answer that is too large to be taken is asked for in smaller pieces, down to a single key. In few steps: etcd reads all of it for each of them. */
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
