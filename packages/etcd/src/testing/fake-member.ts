// SPDX-License-Identifier: Apache-2.0
import {
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type Duplex, duplexPair, Transform } from 'node:stream';
import type { Dialer, DialTarget } from '../client/dialer.ts';
import { frame } from '../client/grpc/frame.ts';

/** One call, as the fake sees it. */
export interface FakeCall {
  /** `KV/Put`. */
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly stream: ServerHttp2Stream;
  /** Resolves with the first message of the request. */
  readonly request: Promise<Uint8Array>;
  /** Answers with a message and OK. */
  reply(message: Uint8Array): void;
  /** Answers with a status and no message. */
  refuse(status: number, message: string): void;
}

/**
 * A gRPC server without a socket: a client's connections through `dial` call `onCall`. For behaviour that a real etcd
 * does not show on request: no answer, disconnecting, refusing a stream, invalid data.
 */
export class FakeMember {
  readonly calls: FakeCall[] = [];
  readonly dialled: DialTarget[] = [];
  readonly #sessions: ServerHttp2Session[] = [];
  #onCall: (call: FakeCall) => void;
  #severed = false;
  #dialling: (() => Promise<void>) | undefined;

  constructor(onCall: (call: FakeCall) => void = () => undefined) {
    this.#onCall = onCall;
  }

  /** Replaces the handling of calls from now on. */
  onCall(handler: (call: FakeCall) => void): void {
    this.#onCall = handler;
  }

  /** Called before each dial is answered; a rejection is a refused connection. */
  onDial(before: () => Promise<void>): void {
    this.#dialling = before;
  }

  readonly dial: Dialer = async (target) => {
    this.dialled.push(target);
    await this.#dialling?.();
    const [ours, theirs] = duplexPair();
    this.#serve(theirs);
    return ours;
  };

  /** From now on no existing connection transfers anything in either direction, without an error: a cut cable. */
  sever(): void {
    this.#severed = true;
  }

  /** New connections work again; existing ones stay cut. */
  reconnect(): void {
    this.#severed = false;
  }

  /** Resets all connections: a killed process. */
  kill(): void {
    for (const session of this.#sessions.splice(0)) session.destroy();
  }

  /** Sends GOAWAY on all connections: a process that shuts down. */
  leave(): void {
    for (const session of this.#sessions) session.goaway();
  }

  #serve(socket: Duplex): void {
    const cut = { severed: false };
    const gate = () =>
      new Transform({
        transform: (chunk, _, done) => {
          cut.severed ||= this.#severed;
          if (cut.severed) done();
          else done(null, chunk);
        },
      });
    const [near, far] = duplexPair();
    socket.pipe(gate()).pipe(far);
    far.pipe(gate()).pipe(socket);
    socket.once('close', () => far.destroy());
    far.once('close', () => socket.destroy());
    const session = performServerHandshake(near);
    this.#sessions.push(session);
    session.on('error', () => undefined);
    session.on('stream', (stream, headers) => this.#accept(stream, headers));
  }

  #accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on('error', () => undefined);
    const call: FakeCall = {
      method: String(headers[':path']).replace('/etcdserverpb.', ''),
      headers,
      stream,
      request: new Promise((resolve) => stream.once('data', (data: Buffer) => resolve(data.subarray(5)))),
      reply: (message) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        stream.end(frame(message));
      },
      refuse: (status, message) => {
        stream.respond(
          {
            ':status': 200,
            'content-type': 'application/grpc',
            'grpc-status': String(status),
            'grpc-message': encodeURIComponent(message),
          },
          { endStream: true },
        );
      },
    };
    this.calls.push(call);
    this.#onCall(call);
  }
}

/** Waits, one turn of the event loop after the other, for a result of real I/O. */
export async function eventually(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    if (condition()) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  throw new Error(`did not come about: ${condition}`);
}
