// SPDX-License-Identifier: Apache-2.0
import { EtcdError } from '../etcd-error.ts';
import type { Invoker } from '../invoker.ts';
import type { ResponseHeader } from '../messages/kv-messages.ts';
import { type WatchEvent, watchRequest, watchResponse } from '../messages/watch-messages.ts';

const watchMethod = { name: 'Watch/Watch', request: watchRequest, response: watchResponse, mutating: false };

/** What to watch. */
export interface WatchOptions {
  readonly key: Uint8Array;
  /** Watches all keys from `key` up to, but not including, `rangeEnd`. Absent: only `key`. */
  readonly rangeEnd?: Uint8Array;
  /** The first revision to report; absent: from now on. */
  readonly startRevision?: bigint;
  readonly prevKv?: boolean;
  readonly signal?: AbortSignal;
  /** Called once, when the member has started the watch. */
  readonly onStarted?: (revision: bigint) => void;
}

/** No timeout: a watch may be idle forever. Pings detect a lost connection. */
const noLimit = 2 ** 31 - 1;

/** One answer of a watch. */
export interface WatchBatch {
  readonly header: ResponseHeader;
  /** In the order of their revisions; empty in an answer that only reports progress. */
  readonly events: readonly WatchEvent[];
  /** False: the next answer continues the last revision of this one. Always true without `fragment`. */
  readonly isComplete: boolean;
}

/** Options of a watch. */
export interface WatchBatchOptions extends WatchOptions {
  /** Splits large answers, so that none exceeds the member's request limit. @default false */
  readonly fragment?: boolean;
  /** Reports progress from time to time if there are no events. @default false */
  readonly progressNotify?: boolean;
}

/**
 * Events as they occur, until the loop ends or the signal is aborted. Ends with an error when the connection is lost
 * (`Unavailable`) or the history is compacted (`Compacted`); the caller has to watch again.
 */
export async function* watch(invoker: Invoker, options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
  for await (const { events } of watchBatches(invoker, options)) yield* events;
}

/**
 * Events as they occur, grouped by the member's answers. Ends like `watch`. All events of a revision are in one answer,
 * or with `fragment` in consecutive answers. The member is not read faster than the loop runs.
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
