// SPDX-License-Identifier: Apache-2.0
import {
  KubeError,
  type KubeErrorCode,
  type Status,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '@operator-parts/kube';
import { type RequestBody, readableBody } from '../protobuf/request-body.ts';
import type { ApiResponse } from './api-request.ts';
import { channelPair } from './channel-pair.ts';
import type { ChannelHandler, Handler } from './handler.ts';
import type { Identity } from './identity.ts';

/** The transport without sockets: the same handler, with a given identity. */
export function inProcessTransport(
  handle: Handler,
  openChannel: ChannelHandler,
  identity: Identity,
  onClose: () => void,
): Transport {
  const closing = new AbortController();
  return {
    async request(request) {
      const { signal, release } = either(request, closing.signal);
      try {
        signal.throwIfAborted();
        request.fence?.();
        const response = await handle({
          method: request.method,
          url: request.path,
          ...bodyOf(request),
          identity,
          signal,
        });
        signal.throwIfAborted();
        return toTransportResponse(response);
      } finally {
        release();
      }
    },
    async connect(request) {
      const signal = request.signal ? AbortSignal.any([request.signal, closing.signal]) : closing.signal;
      signal.throwIfAborted();
      const apiRequest = {
        method: 'GET' as const,
        url: request.path,
        headers: lowerCase(request.headers ?? {}),
        body: undefined,
        identity,
        signal,
      };
      const answer = await openChannel(apiRequest, request.protocols);
      if ('refused' in answer) throw refusalError(request.path, answer.refused);
      const { client, server } = channelPair(answer.accepted.protocol);
      const close = () => client.close();
      signal.addEventListener('abort', close, { once: true });
      answer.accepted
        .run(server, signal)
        .catch(() => undefined)
        .finally(() => {
          signal.removeEventListener('abort', close);
          server.close();
        });
      return client;
    },
    close() {
      closing.abort(new Error('the transport is closed'));
      onClose();
      return Promise.resolve();
    },
  };
}

/**
 * A signal that is aborted with the caller's signal or with the transport. Not `AbortSignal.any` for short requests: it
 * would take longer than the request itself.
 */
function either(
  { signal, streaming }: TransportRequest,
  closing: AbortSignal,
): { readonly signal: AbortSignal; readonly release: () => void } {
  if (!signal) return { signal: closing, release: () => undefined };
  if (streaming) return { signal: AbortSignal.any([signal, closing]), release: () => undefined };
  const ended = new AbortController();
  const both = [signal, closing];
  const end = () => ended.abort(both.find(({ aborted }) => aborted)?.reason);
  for (const one of both) one.addEventListener('abort', end, { once: true });
  if (both.some(({ aborted }) => aborted)) end();
  const release = () => {
    for (const one of both) one.removeEventListener('abort', end);
  };
  return { signal: ended.signal, release };
}

function bodyOf({ headers, body }: TransportRequest): RequestBody {
  const lower = lowerCase(headers ?? {});
  return typeof body === 'object' ? readableBody(lower, body) : { headers: lower, body };
}

function lowerCase(headers: NonNullable<TransportRequest['headers']>): Record<string, string | readonly string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function toTransportResponse({ status, headers, body }: ApiResponse): TransportResponse {
  const joined = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : value.join(', '),
  ]);
  return { status, headers: Object.fromEntries(joined), body: typeof body === 'string' ? once(body) : body };
}

/** A refused upgrade, as a transport reports it. */
function refusalError(path: string, { status, body }: ApiResponse): KubeError {
  const text = typeof body === 'string' ? body : '';
  const parsed = JSON.parse(text) as Status;
  const code = (parsed.reason || 'Unknown') as KubeErrorCode;
  const request = { method: 'GET', path };
  return new KubeError(code, parsed.message ?? text, { httpStatus: status, status: parsed, request });
}

async function* once(text: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text, 'utf8');
}
