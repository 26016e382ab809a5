// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Lab } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { deliveryPort } from '../../restore/delivery/channel.ts';
import { type Gate, openGate, type RequestRecord } from './request-record.ts';

export interface RelayOptions {
  readonly lab: Lab;
  readonly who: string;
  readonly record: (record: RequestRecord) => void;
  /** @default forwards everything */
  readonly gate?: Gate;
}

/** The complete answer to a call. */
interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly trailers: IncomingHttpHeaders;
}

/** How long the relay retries a connection to an agent, in milliseconds: as long as an operator does. */
const agentPatience = 10_000;

/** Calls that only read. Whether `Maintenance/Alarm` reads depends on its content. */
const reads = new Set([
  'KV/Range',
  'Cluster/MemberList',
  'Maintenance/Status',
  'Maintenance/Hash',
  'Maintenance/HashKV',
  'Maintenance/Snapshot',
  'Auth/Authenticate',
  'Watch/Watch',
]);

/**
 * A proxy from one operator to the members in a lab: the operator connects and writes `host port` and a line feed. gRPC calls are forwarded
 * one by one. Calls that change something are recorded once the request has arrived completely.
 */
export class RecordingRelay {
  readonly #server: Server;

  private constructor(options: RelayOptions) {
    this.#server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', (data: Buffer) => {
        socket.pause();
        serve(options, socket, data).catch(() => socket.destroy());
      });
    });
  }

  static async start(options: RelayOptions): Promise<RecordingRelay> {
    const relay = new RecordingRelay(options);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }
}

async function serve(options: RelayOptions, socket: Socket, data: Buffer): Promise<void> {
  const end = data.indexOf('\n');
  const [host = '', port = ''] = data.subarray(0, end).toString().split(' ');
  const member = await dialed(options.lab, host, Number(port));
  member.on('error', () => socket.destroy());
  member.on('close', () => socket.destroy());
  socket.on('close', () => member.destroy());
  const rest = data.subarray(end + 1);
  const first = rest.byteLength > 0 ? rest : ((await once(socket.resume(), 'data'))[0] as Buffer);
  socket.pause();
  if (first.toString('latin1').startsWith('PRI')) {
    socket.unshift(first);
    serveCalls(options, socket, member);
    return;
  }
  const send = async (): Promise<Buffer> => {
    member.write(first);
    socket.pipe(member);
    const [answer] = (await once(member, 'data')) as [Buffer];
    member.pause();
    return answer;
  };
  // Traffic to a restore agent is encrypted, so only the connection itself can be recorded.
  const isAgent = Number(port) === deliveryPort;
  const answer = isAgent ? await noted(options, 'agent', 'connection', send) : await send();
  if (!answer) {
    socket.destroy();
    return;
  }
  socket.write(answer);
  member.pipe(socket);
}

/**
 * An agent does not listen yet when its container starts. An operator that connects directly is refused and tries again at once. Through
 * this relay, the operator would see a connection that closes, and would consider the agent broken. So the relay itself tries again.
 */
async function dialed(lab: Lab, host: string, port: number): Promise<Socket> {
  const end = systemClock.monotonic() + (port === deliveryPort ? agentPatience : 0);
  for (;;) {
    try {
      return await lab.dial(host, port);
    } catch (error) {
      if (systemClock.monotonic() >= end) throw error;
      await systemClock.sleep(50);
    }
  }
}

function serveCalls(options: RelayOptions, socket: Socket, member: Socket): void {
  const upstream = connectHttp2('http://member', { createConnection: () => member });
  const session = performServerHandshake(socket, { settings: { initialWindowSize: 1024 * 1024 } });
  upstream.on('error', () => socket.destroy());
  session.on('error', () => member.destroy());
  session.on('stream', (stream, headers) => {
    const what = String(headers[':path']).replace('/etcdserverpb.', '');
    if (reads.has(what)) passOn(stream, upstream.request(passedOn(headers)));
    else change(options, what, stream, upstream, headers).catch(() => stream.close(constants.NGHTTP2_CANCEL));
  });
}

function passOn(stream: ServerHttp2Stream, call: ReturnType<ClientHttp2Session['request']>): void {
  stream.pipe(call);
  let trailers: IncomingHttpHeaders = {};
  call.on('trailers', (received) => {
    trailers = received;
  });
  call.on('response', (answer, flags) => {
    if (stream.destroyed) return;
    if (flags & constants.NGHTTP2_FLAG_END_STREAM) {
      stream.respond(passedOn(answer), { endStream: true });
      return;
    }
    stream.respond(passedOn(answer), { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(passedOn(trailers)));
    call.pipe(stream);
  });
  stream.on('error', () => call.close(constants.NGHTTP2_CANCEL));
  stream.on('aborted', () => call.close(constants.NGHTTP2_CANCEL));
  call.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
}

/** The answer to a call that may change something is held back until it is complete. */
async function change(
  options: RelayOptions,
  what: string,
  stream: ServerHttp2Stream,
  upstream: ClientHttp2Session,
  headers: IncomingHttpHeaders,
): Promise<void> {
  stream.on('error', () => undefined);
  const body = await buffer(stream);
  const send = async (): Promise<Answer> => {
    const call = upstream.request(passedOn(headers));
    const trailers: { received: IncomingHttpHeaders } = { received: {} };
    call.on('trailers', (received) => {
      trailers.received = received;
    });
    call.end(body);
    const [answer] = (await once(call, 'response')) as [IncomingHttpHeaders];
    return { headers: answer, body: await buffer(call), trailers: trailers.received };
  };
  // The body follows the five bytes of gRPC. The first field of an alarm request is the action; it is absent or 0 in a request that only
  // reads.
  const isRead = what === 'Maintenance/Alarm' && (body[5] !== 0x08 || body[6] === 0);
  const answer = isRead ? await send() : await noted(options, 'etcd', what, send);
  if (!answer) {
    stream.session?.destroy();
    return;
  }
  if (stream.destroyed) return;
  stream.on('wantTrailers', () => stream.sendTrailers(passedOn(answer.trailers)));
  const isOver = Object.keys(answer.trailers).length === 0;
  stream.respond(passedOn(answer.headers), isOver ? { endStream: true } : { waitForTrailers: true });
  if (!isOver) stream.end(answer.body);
}

function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers));
}

function noted<T>(
  { who, record, gate = openGate }: RelayOptions,
  to: RequestRecord['to'],
  what: string,
  send: () => Promise<T>,
): Promise<T | undefined> {
  const entry: RequestRecord = { to, who, what, at: Date.now(), status: 0 };
  record(entry);
  return gate(entry, send);
}
