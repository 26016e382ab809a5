// SPDX-License-Identifier: Apache-2.0
import { EtcdError } from '../etcd-error.ts';
import type { Invoker } from '../invoker.ts';
import type { ResponseHeader } from '../messages/kv-messages.ts';
import { type WatchEvent, watchRequest, watchResponse } from '../messages/watch-messages.ts';

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

/** What one answer of a watch brings. */
export interface WatchBatch {
  readonly header: ResponseHeader;
  /** In the order of their revisions; none in an answer that only says how far the member has come. */
  readonly events: readonly WatchEvent[];
  /** False: the next answer goes on with the last revision of this one. Always true without `fragment`. */
  readonly isComplete: boolean;
}

/** How answers are asked for. */
export interface WatchBatchOptions extends WatchOptions {
  /** Has large answers cut into several, so that none exceeds what the member takes in one request. @default false */
  readonly fragment?: boolean;
  /** Has the member say now and then how far it has come if nothing happens. @default false */
  readonly progressNotify?: boolean;
}

/**
 * Changes as they happen, until the loop is left or the signal aborted. Ends with an error when the connection is lost
 * (`Unavailable`) or the history is gone (`Compacted`); nothing is resumed here.
 */
export async function* watch(invoker: Invoker, options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
  for await (const { events } of watchBatches(invoker, options)) yield* events;
}

/**
 * The same in the answers that the member gives. All events of a revision are in one answer, or with `fragment` in answers that follow
 * each other. The member is not read faster than the loop goes on.
 */
export async function* watchBatches(
  invoker: Invoker,
  options: WatchBatchOptions,
): AsyncGenerator<WatchBatch, void, undefined> {
  const { key, rangeEnd, startRevision, prevKv, fragment, progressNotify, signal } = options;
  const call = invoker.kindOf(watchMethod);
  const request = { create: { key, rangeEnd, startRevision, prevKv, fragment, progressNotify } };
  const answers = invoker.stream(watchMethod, request, { timeoutMs: noLimit, ...(signal ? { signal } : {}) });
  for await (const answer of answers) {
    if (answer.compactRevision > 0n) {
      throw new EtcdError(
        'Compacted',
        `the history before revision ${answer.compactRevision} was removed by compaction`,
        { call },
      );
    }
    if (answer.canceled) {
      throw new EtcdError('Unknown', answer.cancelReason || 'the member ended the watch', { call });
    }
    if (answer.created) options.onStarted?.(answer.header.revision);
    else yield { header: answer.header, events: answer.events, isComplete: !answer.fragment };
  }
}
