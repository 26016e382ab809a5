// SPDX-License-Identifier: Apache-2.0
import { isEtcdError } from '../client/etcd-error.ts';
import type { RangeRequest, RangeResponse } from '../client/messages/kv-messages.ts';
import { type KeyValueStore, prefixEnd } from '../client/services/kv.ts';
import type { ListedKey } from '../snapshot/snapshot-keys.ts';

/** Few at once: values may have megabytes, and a page of them is in memory, here and in etcd. */
const pageKeys = 64;

/** So many of the largest values that etcd takes by default fit in one answer. */
const largeValues = 8;

export interface LiveAsked {
  readonly prefix: Uint8Array;
  /** So that all pages are of the same moment. */
  readonly revision: bigint;
  readonly signal: AbortSignal;
}

/** The keys that a member has at a revision, in the order of keys, with their values. */
export async function* liveKeys(
  store: Pick<KeyValueStore, 'range'>,
  { prefix, revision, signal }: LiveAsked,
): AsyncGenerator<ListedKey> {
  const rangeEnd = prefixEnd(prefix);
  // The range of an empty prefix begins at the lowest key that there can be.
  let key: Uint8Array = prefix.byteLength === 0 ? Uint8Array.of(0) : prefix;
  for (;;) {
    const { kvs, more } = await page(store, { key, rangeEnd, revision }, signal);
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

/** An answer that is too large to be taken is asked for in smaller pieces. */
async function page(
  store: Pick<KeyValueStore, 'range'>,
  asked: RangeRequest,
  signal: AbortSignal,
): Promise<RangeResponse> {
  try {
    return await store.range({ ...asked, limit: BigInt(pageKeys) }, { signal });
  } catch (error) {
    if (!isEtcdError(error, 'BadResponse')) throw error;
    return store.range({ ...asked, limit: BigInt(largeValues) }, { signal });
  }
}
