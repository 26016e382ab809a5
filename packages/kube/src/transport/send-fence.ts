// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { KubeError, type RequestSummary } from '../kube-error.ts';
import { describe } from './transport-error.ts';

/** A request that may be aborted until it is sent. */
interface FencedRequest extends RequestSummary {
  readonly fence?: () => void;
}

/** Calls the fence of a request that is about to be sent. Its error becomes code `Aborted`: nothing was sent. */
export function assertMaySend(request: FencedRequest): void {
  try {
    request.fence?.();
  } catch (cause) {
    if (cause instanceof KubeError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    const { method, path } = request;
    throw new KubeError('Aborted', `${describe(request)} was not sent: ${why}`, { request: { method, path }, cause });
  }
}

/** The request that is sent next. undici sends it in the same turn in which it calls `onRequestStart`. */
let sending: FencedRequest | undefined;

/** Makes a connection call the fence of the request once more, right before its bytes are passed to the system. */
export function fenceWrites(socket: Duplex): void {
  const guarded =
    <Chunk extends readonly unknown[]>(write: (...all: [...Chunk, Done]) => void) =>
    (...all: [...Chunk, Done]) => {
      const request = sending;
      sending = undefined;
      try {
        if (request) assertMaySend(request);
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
 * Calls the fence when a connection is open and the first byte is about to be sent: a request may have waited long for
 * a connection, and the process may have been suspended meanwhile.
 */
export function fenceOnSend(request: FencedRequest): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        assertMaySend(request);
        handler.onRequestStart?.(controller, context);
        sending = request;
        queueMicrotask(() => {
          sending = undefined;
        });
      },
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart: (...start) => handler.onResponseStart?.(...start),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...failure) => handler.onResponseError?.(...failure),
    });
}
