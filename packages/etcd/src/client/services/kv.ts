// SPDX-License-Identifier: Apache-2.0
import type { Invoker, Method, RequestOptions } from '../invoker.ts';
import {
  type CompactionRequest,
  compactionRequest,
  type DeleteRangeRequest,
  type DeleteRangeResponse,
  deleteRangeRequest,
  deleteRangeResponse,
  type HeaderResponse,
  headerResponse,
  type PutRequest,
  type PutResponse,
  putRequest,
  putResponse,
  type RangeRequest,
  type RangeResponse,
  rangeRequest,
  rangeResponse,
  type TxnRequest,
  type TxnResponse,
  txnRequest,
  txnResponse,
} from '../messages/kv-messages.ts';

const rangeMethod = {
  name: 'KV/Range',
  request: rangeRequest,
  response: rangeResponse,
  mutating: false,
} satisfies Method<RangeRequest, RangeResponse>;
const putMethod = { name: 'KV/Put', request: putRequest, response: putResponse, mutating: true };
const deleteMethod = {
  name: 'KV/DeleteRange',
  request: deleteRangeRequest,
  response: deleteRangeResponse,
  mutating: true,
};
const txnMethod = { name: 'KV/Txn', request: txnRequest, response: txnResponse, mutating: true };
const compactMethod = { name: 'KV/Compact', request: compactionRequest, response: headerResponse, mutating: true };

/**
 * The key-value store. Reads are linearizable unless `serializable` is set; a learner answers only serializable reads.
 */
export class KeyValueStore {
  readonly #invoker: Invoker;

  constructor(invoker: Invoker) {
    this.#invoker = invoker;
  }

  range(request: RangeRequest, options?: RequestOptions): Promise<RangeResponse> {
    return this.#invoker.call(rangeMethod, request, options);
  }

  put(request: PutRequest, options?: RequestOptions): Promise<PutResponse> {
    return this.#invoker.call(putMethod, request, options);
  }

  deleteRange(request: DeleteRangeRequest, options?: RequestOptions): Promise<DeleteRangeResponse> {
    return this.#invoker.call(deleteMethod, request, options);
  }

  /** Compares, then executes one of the two lists of operations. Nested transactions are not supported. */
  txn(request: TxnRequest, options?: RequestOptions): Promise<TxnResponse> {
    return this.#invoker.call(txnMethod, request, options);
  }

  /** Compacts the history before a revision. With `physical`, the member answers only when the space can be reused. */
  compact(request: CompactionRequest, options?: RequestOptions): Promise<HeaderResponse> {
    return this.#invoker.call(compactMethod, request, options);
  }
}

const utf8 = new TextEncoder();

/** A key or value from text. */
export function toBytes(text: string): Uint8Array {
  return utf8.encode(text);
}

/** The `rangeEnd` that makes a range cover every key beginning with `prefix`; for the empty prefix: all keys. */
export function prefixEnd(prefix: Uint8Array): Uint8Array {
  const last = prefix.findLastIndex((byte) => byte < 0xff);
  if (last < 0) return Uint8Array.of(0);
  // Copied, because `slice` of a Buffer is only a view: changing it would change the prefix of the caller.
  const end = Uint8Array.from(prefix.subarray(0, last + 1));
  end[last] = (end[last] ?? 0) + 1;
  return end;
}
