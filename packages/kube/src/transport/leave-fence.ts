// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { KubeError, type RequestSummary } from '../kube-error.ts';
import { describe } from './transport-error.ts';

/** A request that may be called off up to the moment it leaves. */
interface FencedRequest extends RequestSummary {
  readonly fence?: () => void;
}

/** Asks the fence of a request that is about to be sent. What it throws becomes an error of code `Aborted`: nothing was sent. */
export function assertMayLeave(request: FencedRequest): void {
  try {
    request.fence?.();
  } catch (cause) {
    if (cause instanceof KubeError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    const { method, path } = request;
    throw new KubeError('Aborted', `${describe(request)} was not sent: ${why}`, { request: { method, path }, cause });
  }
}

/** The request whose first bytes are written next; undici writes them in the same turn in which it says that it begins. */
let leaving: FencedRequest | undefined;

/**
 * Has a connection ask the fence of the request that is about to leave once more, right before its bytes are handed to the system:
 * what lies between the two is a few microseconds then.
 */
export function fenceWrites(socket: Duplex): void {
  const guarded =
    <Chunk extends readonly unknown[]>(write: (...all: [...Chunk, Done]) => void) =>
    (...all: [...Chunk, Done]) => {
      const request = leaving;
      leaving = undefined;
      try {
        if (request) assertMayLeave(request);
      } catch (error) {
        (all.at(-1) as Done)(error as Error);
        return;
      }
      write(...all);
    };
  Object.assign(socket, {
    _write: guarded(socket._write.bind(socket)),
    ...(socket._writev && { _writev: guarded(socket._writev.bind(socket)) }),
  });
}

type Done = (error?: Error | null) => void;

/**
 * Asks the fence when a connection is there and the first byte is about to be written: a request may have waited in line for long,
 * and the process may have been stopped in between.
 */
export function leaveFence(request: FencedRequest): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        assertMayLeave(request);
        handler.onRequestStart?.(controller, context);
        leaving = request;
        queueMicrotask(() => {
          leaving = undefined;
        });
      },
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart: (...start) => handler.onResponseStart?.(...start),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...failure) => handler.onResponseError?.(...failure),
    });
}
