// SPDX-License-Identifier: Apache-2.0
import { type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@operator-parts/ports';
import { type Dialer, hostAndPort, isTlsFailure, openRoute, type Route } from '../client/dialer.ts';
import { EtcdError } from '../client/etcd-error.ts';
import { openScope, within } from '../client/grpc/scope.ts';

/** One GET. */
export interface HttpGet {
  readonly route: Route;
  readonly dial: Dialer;
  readonly clock: Clock;
  readonly path: string;
  /** The timeout from dialling to the last byte. */
  readonly timeoutMs: number;
  /** A longer answer is refused. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * One request over a separate connection, closed afterwards: these endpoints are used rarely. An HTTP error status is
 * an answer, not an exception.
 */
export async function httpGet(get: HttpGet): Promise<HttpAnswer> {
  const call = { method: `GET ${get.path}`, endpoint: hostAndPort(get.route.target) };
  using scope = openScope(get.clock, get.timeoutMs, get.signal);
  const opening = openRoute(get.route, get.dial, 'http/1.1', scope.signal);
  try {
    const socket = await within(scope.signal, opening);
    try {
      return await within(scope.signal, exchange(socket, get));
    } finally {
      socket.destroy();
    }
  } catch (error) {
    void opening.then(
      (socket) => socket.destroy(),
      () => undefined,
    );
    if (scope.endedBy?.kind === 'deadline') {
      throw new EtcdError('Timeout', `no answer within ${get.timeoutMs} ms`, { call, cause: error });
    }
    if (scope.endedBy) throw new EtcdError('Aborted', 'the call was aborted', { call, cause: scope.endedBy.reason });
    if (error instanceof EtcdError) throw error;
    const code = isTlsFailure(error) ? 'TlsFailed' : 'Unavailable';
    throw new EtcdError(code, error instanceof Error ? error.message : String(error), { call, cause: error });
  }
}

function exchange(socket: Duplex, get: HttpGet): Promise<HttpAnswer> {
  const { route, path } = get;
  return new Promise((resolve, reject) => {
    const outgoing = request({
      createConnection: () => socket,
      path,
      headers: {
        host: hostAndPort({ ...route.target, host: route.serverName ?? route.target.host }),
        connection: 'close',
      },
    });
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => {
      readBody(incoming, get).then((body) => resolve({ status: incoming.statusCode ?? 0, body }), reject);
    });
    outgoing.end();
  });
}

async function readBody(incoming: IncomingMessage, get: HttpGet): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > get.maxBytes) {
      throw new EtcdError('BadResponse', `the response to ${get.path} is longer than ${get.maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
