// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { Clock, Random } from '@operator-parts/ports';
import type { Dispatcher } from 'undici';
import { KubeError } from '../kube-error.ts';
import { checkAnswer, upgradeHeaders } from '../web-socket/handshake.ts';
import { WebSocketChannel } from '../web-socket/web-socket-channel.ts';
import { responseError } from './response-error.ts';
import type { ChannelRequest, MessageChannel } from './transport.ts';
import { describe } from './transport-error.ts';

/** The maximum length of an error answer; the rest is dropped. */
const errorBodyLimit = 1 << 20;

interface Upgraded {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: Duplex;
}

/** Opens a WebSocket on a separate connection. An error answer of the server is a `KubeError` with its Status. */
export async function openWebSocket(
  dispatcher: Dispatcher,
  target: { readonly origin: string; readonly path: string },
  request: ChannelRequest,
  options: { readonly clock: Clock; readonly random: Random; readonly signal: AbortSignal },
): Promise<MessageChannel> {
  const key = options.random.bytes(16);
  const headers = { ...request.headers, ...upgradeHeaders(key, request.protocols) };
  const { socket, headers: answer } = await upgrade(dispatcher, { ...target, headers }, request, options.signal);
  const checked = checkAnswer(answer, key, request.protocols);
  if ('problem' in checked) {
    socket.destroy();
    throw new KubeError('BadResponse', `${describe({ method: 'GET', path: request.path })}: ${checked.problem}`);
  }
  if (request.signal) destroyOnAbort(socket, request.signal);
  const { clock, random } = options;
  return new WebSocketChannel({ socket, protocol: checked.protocol, role: 'client', clock, random });
}

function destroyOnAbort(socket: Duplex, signal: AbortSignal): void {
  const destroy = () => {
    socket.destroy(new KubeError('Aborted', 'the channel was aborted', { cause: signal.reason }));
  };
  if (signal.aborted) destroy();
  signal.addEventListener('abort', destroy, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', destroy));
}

/**
 * Sends an upgrade request. undici's own `upgrade` drops the body of an error answer, and with it the server's Status.
 */
function upgrade(
  dispatcher: Dispatcher,
  target: { readonly origin: string; readonly path: string; readonly headers: object },
  request: ChannelRequest,
  signal: AbortSignal,
): Promise<Upgraded> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let status = 0;
    const headers = target.headers as Record<string, string>;
    dispatcher.dispatch(
      { origin: target.origin, path: target.path, method: 'GET', headers, upgrade: 'websocket' },
      {
        onRequestStart: (controller) => {
          if (signal.aborted) controller.abort(asError(signal.reason));
          else signal.addEventListener('abort', () => controller.abort(asError(signal.reason)), { once: true });
        },
        onRequestUpgrade: (_controller, _status, answer, socket) => resolve({ headers: answer, socket }),
        onResponseStart: (_controller, code) => {
          status = code;
        },
        onResponseData: (_controller, chunk) => {
          size += chunk.length;
          if (size <= errorBodyLimit) pieces.push(chunk);
        },
        onResponseEnd: () => {
          const body = Buffer.concat(pieces).toString('utf8');
          reject(responseError(status, body, { method: 'GET', path: request.path }));
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new KubeError('Aborted', 'the request was aborted', { cause: reason });
}
