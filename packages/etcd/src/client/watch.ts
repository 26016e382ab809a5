// SPDX-License-Identifier: Apache-2.0
import { EtcdError } from './etcd-error.ts';
import type { Invoker } from './invoker.ts';
import { type WatchEvent, watchRequest, watchResponse } from './messages/watch-messages.ts';

const watchMethod = { name: 'Watch/Watch', request: watchRequest, response: watchResponse, mutating: false };

/** What to watch. */
export interface WatchOptions {
  readonly key: Uint8Array;
  /** All keys from `key` up to but without it; absent: one key. */
  readonly rangeEnd?: Uint8Array;
  /** The first revision to report; absent: what happens from now on. */
  readonly startRevision?: bigint;
  readonly prevKv?: boolean;
  readonly signal?: AbortSignal;
  /** Runs once, when the member has begun to watch. */
  readonly onStarted?: (revision: bigint) => void;
}

/** Watches may be silent for ever; a lost connection is noticed by pings. */
const noLimit = 2 ** 31 - 1;

/**
 * Changes as they happen, until the loop is left or the signal aborted. Ends with an error when the connection is lost
 * (`Unavailable`) or the history is gone (`Compacted`); nothing is resumed here.
 */
export async function* watch(invoker: Invoker, options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
  const { key, rangeEnd, startRevision, prevKv, signal } = options;
  const call = invoker.kindOf(watchMethod);
  const request = { create: { key, rangeEnd, startRevision, prevKv } };
  const answers = invoker.stream(watchMethod, request, { timeoutMs: noLimit, ...(signal ? { signal } : {}) });
  for await (const answer of answers) {
    if (answer.compactRevision > 0n) {
      throw new EtcdError('Compacted', `history before revision ${answer.compactRevision} is gone`, { call });
    }
    if (answer.canceled) {
      throw new EtcdError('Unknown', answer.cancelReason || 'the member ended the watch', { call });
    }
    if (answer.created) options.onStarted?.(answer.header.revision);
    yield* answer.events;
  }
}
