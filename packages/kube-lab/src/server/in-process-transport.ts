// SPDX-License-Identifier: Apache-2.0
import type { Transport, TransportRequest, TransportResponse } from '@etcd-operator/kube';
import type { ApiResponse } from './api-request.ts';
import type { Handler } from './handler.ts';
import type { Identity } from './identity.ts';

/** The way into the server without sockets: the same handler, with an identity that needs no proof. */
export function inProcessTransport(handle: Handler, identity: Identity, onClose: () => void): Transport {
  const closing = new AbortController();
  return {
    async request(request) {
      const signal = request.signal ? AbortSignal.any([request.signal, closing.signal]) : closing.signal;
      signal.throwIfAborted();
      const response = await handle({
        method: request.method,
        url: request.path,
        headers: lowerCase(request.headers ?? {}),
        body: typeof request.body === 'object' ? Buffer.from(request.body).toString('utf8') : request.body,
        identity,
        signal,
      });
      signal.throwIfAborted();
      return toTransportResponse(response);
    },
    connect() {
      return Promise.reject(new Error('channels are not served in process yet'));
    },
    close() {
      closing.abort(new Error('the transport is closed'));
      onClose();
      return Promise.resolve();
    },
  };
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

async function* once(text: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text, 'utf8');
}
