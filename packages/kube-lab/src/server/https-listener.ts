// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import {
  answerUpgrade,
  type HttpMethod,
  portForwardProtocol,
  remoteCommandProtocols,
  WebSocketChannel,
} from '@operator-parts/kube';
import type { Clock, Random } from '@operator-parts/ports';
import { readableBody } from '../protobuf/request-body.ts';
import type { KeyPair } from '../tls/certificates.ts';
import { ApiError } from './api-error.ts';
import type { ApiRequest, ApiResponse } from './api-request.ts';
import type { ChannelHandler, Handler } from './handler.ts';
import type { Identity } from './identity.ts';

export interface HttpsListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly serving: KeyPair;
  /** Client certificates that this authority has signed are accepted. */
  readonly clientCaPem: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** A listening HTTPS server. */
export interface HttpsListener {
  readonly port: number;
  close(): Promise<void>;
}

/** Larger bodies are refused, as on the real server. */
const bodyLimit = 3 * 1024 * 1024;

/** Listens for HTTP/1.1 over TLS and passes each request to `handle`. */
export async function listenHttps(
  handle: Handler,
  openChannel: ChannelHandler,
  options: HttpsListenerOptions,
): Promise<HttpsListener> {
  const server = createServer({
    cert: options.serving.certificatePem,
    key: options.serving.privateKeyPem,
    ca: options.clientCaPem,
    requestCert: true,
    rejectUnauthorized: false,
    keepAliveTimeout: 90_000,
  });
  const sockets = new Set<Socket>();
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (request, response) => {
    // A client that disconnects during an answer is not a server error.
    answer(handle, request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgrade(openChannel, options, request, socket, head).catch(() => socket.destroy());
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server, sockets) };
}

async function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}

async function answer(handle: Handler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort(new Error('the client closed the connection'));
  });
  const body = await readBody(incoming);
  if (body === undefined) {
    const message = `Request entity too large: limit is ${bodyLimit}`;
    const status = new ApiError(413, 'RequestEntityTooLarge', message).toStatus();
    const headers = { 'content-type': 'application/json', connection: 'close' };
    await send(outgoing, { status: 413, headers, body: JSON.stringify(status) });
    return;
  }
  const request: ApiRequest = {
    method: (incoming.method ?? 'GET') as HttpMethod,
    url: incoming.url ?? '/',
    ...readableBody(headersOf(incoming), body),
    identity: connectionIdentity(incoming.socket as TLSSocket),
    signal: gone.signal,
  };
  await send(outgoing, await handle(request));
}

const protocolsKnown = [...remoteCommandProtocols, portForwardProtocol];

/** Upgrades a request to a WebSocket, or returns an error. */
async function upgrade(
  openChannel: ChannelHandler,
  { clock, random }: HttpsListenerOptions,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort(new Error('the client closed the connection')));
  socket.on('error', () => socket.destroy());
  const agreed = answerUpgrade(incoming.headers, protocolsKnown);
  const request: ApiRequest = {
    method: (incoming.method ?? 'GET') as HttpMethod,
    url: incoming.url ?? '/',
    headers: headersOf(incoming),
    body: undefined,
    identity: connectionIdentity(incoming.socket as TLSSocket),
    signal: gone.signal,
  };
  const answer = await openChannel(request, agreed ? [agreed.protocol] : []);
  if ('refused' in answer || !agreed) {
    const response = 'refused' in answer ? answer.refused : undefined;
    socket.end(refusedUpgrade(response?.status ?? 400, typeof response?.body === 'string' ? response.body : ''));
    return;
  }
  socket.write(agreed.response);
  if (head.length > 0) socket.unshift(head);
  const channel = new WebSocketChannel({ socket, protocol: agreed.protocol, role: 'server', clock, random });
  await answer.accepted.run(channel, gone.signal);
  channel.close();
}

function refusedUpgrade(status: number, body: string): string {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function headersOf(incoming: IncomingMessage): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    if (values) headers[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  return headers;
}

const identities = new WeakMap<TLSSocket, Identity | undefined>();

/** The identity of a connection, determined once. */
function connectionIdentity(socket: TLSSocket): Identity | undefined {
  if (!identities.has(socket)) identities.set(socket, certificateIdentity(socket));
  return identities.get(socket);
}

/** The user and groups of a client certificate: CN and O, as in Kubernetes. */
function certificateIdentity(socket: TLSSocket): Identity | undefined {
  if (!socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  const user = subject?.CN;
  if (typeof user !== 'string' || user === '') return undefined;
  const organizations: string | readonly string[] | undefined = subject.O;
  const groups = typeof organizations === 'string' ? [organizations] : (organizations ?? []);
  return { user, groups: [...groups, 'system:authenticated'] };
}

async function send(outgoing: ServerResponse, { status, headers, body }: ApiResponse): Promise<void> {
  for (const [name, value] of Object.entries(headers)) {
    outgoing.setHeader(name, typeof value === 'string' ? value : [...value]);
  }
  outgoing.statusCode = status;
  if (status === 204) {
    outgoing.end();
    return;
  }
  if (typeof body === 'string') {
    outgoing.setHeader('content-length', Buffer.byteLength(body));
    outgoing.end(body);
    return;
  }
  outgoing.flushHeaders();
  for await (const piece of body) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(piece)) await drained(outgoing);
  }
  outgoing.end();
}

/** Resolves when the client has received what was written, or has disconnected. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.on('drain', done);
    outgoing.on('close', done);
  });
}
