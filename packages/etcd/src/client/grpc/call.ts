// SPDX-License-Identifier: Apache-2.0
import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Readable } from 'node:stream';
import type { Clock } from '@operator-parts/ports';
import { isTlsFailure } from '../dialer.ts';
import { EtcdError } from '../etcd-error.ts';
import { WireError } from '../wire/reader.ts';
import type { Channel } from './channel.ts';
import type { Connection } from './connection.ts';
import { Deframer, FrameError, frame } from './frame.ts';
import { openScope, type Scope } from './scope.ts';
import { type CallKind, decodeGrpcMessage, grpcCodes, statusError } from './status.ts';

/** The options of one call. */
export interface CallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Throws if the request may no longer be sent. */
  readonly fence?: (() => void) | undefined;
  /** Sent as the `token` header. */
  readonly token?: string | undefined;
  /** The maximum message size that is accepted from the server. */
  readonly maxMessageBytes: number;
}

/** The target of calls. */
export interface CallContext {
  readonly channel: Channel;
  readonly clock: Clock;
}

/** One request, one answer. */
export async function unary(
  context: CallContext,
  call: CallKind,
  request: Uint8Array,
  options: CallOptions,
): Promise<Uint8Array> {
  const messages = streaming(context, call, request, { ...options, halfClose: true });
  let answer: Uint8Array | undefined;
  for await (const message of messages) answer ??= message;
  if (answer) return answer;
  throw new EtcdError('BadResponse', 'the member sent an empty response', { call, outcomeUnknown: call.mutating });
}

/**
 * One request and a stream of answers. With `halfClose` the request side is closed at once, as for all calls except
 * watch and keep-alive. `timeoutMs` applies to the whole call, or with `isIdleTimeout` to each wait.
 */
export async function* streaming(
  context: CallContext,
  call: CallKind,
  request: Uint8Array,
  options: CallOptions & { readonly halfClose: boolean; readonly isIdleTimeout?: boolean },
): AsyncGenerator<Uint8Array, void, undefined> {
  const deframer = new Deframer(options.maxMessageBytes);
  const chunks = answerChunks(context, call, request, {
    ...options,
    acquire: (signal) => context.channel.acquire(signal),
  });
  for await (const chunk of chunks) {
    let messages: Uint8Array[];
    try {
      messages = deframer.push(chunk);
    } catch (error) {
      throw malformed(call, error);
    }
    yield* messages;
  }
  if (deframer.partial) throw malformed(call, new FrameError('the response ends in the middle of a message'));
}

/**
 * The bytes of an answer, with back-pressure: the member is not read faster than the caller consumes. If `read` is
 * given, it reads the stream instead. It has to call `heard` for each piece, and may throw an `EtcdError`.
 */
export async function* answerChunks(
  context: CallContext,
  call: CallKind,
  request: Uint8Array,
  options: Omit<CallOptions, 'maxMessageBytes'> & {
    readonly halfClose: boolean;
    readonly isIdleTimeout?: boolean;
    readonly acquire: (signal: AbortSignal) => Promise<Connection>;
    readonly read?: (stream: Readable, heard: () => void) => AsyncIterable<Uint8Array>;
  },
): AsyncGenerator<Uint8Array, void, undefined> {
  using scope = openScope(context.clock, options.timeoutMs, options.signal);
  const startedAt = context.clock.monotonic();
  const { connection, stream } = await start(call, request, scope, options);
  const answer = new Answer(stream, call);
  const onAbort = () => stream.close(constants.NGHTTP2_CANCEL);
  if (scope.signal.aborted) onAbort();
  else scope.signal.addEventListener('abort', onAbort, { once: true });
  const heard = () => {
    connection.heard();
    if (options.isIdleTimeout) scope.touch();
  };
  try {
    for await (const chunk of options.read?.(stream, heard) ?? (stream as AsyncIterable<Uint8Array>)) {
      heard();
      if (options.isIdleTimeout) scope.pause();
      yield chunk;
      if (options.isIdleTimeout) scope.renew();
    }
  } catch (error) {
    if (error instanceof EtcdError) throw error;
    answer.fail(error);
  } finally {
    scope.signal.removeEventListener('abort', onAbort);
    // Ends the call also if the caller stops reading early.
    if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
  }
  if (scope.endedBy?.kind === 'deadline') void connection.check(startedAt);
  if (scope.endedBy) throw endedError(call, scope.endedBy, true);
  answer.verdict();
}

async function start(
  call: CallKind,
  request: Uint8Array,
  scope: Scope,
  options: HeaderOptions & {
    readonly halfClose: boolean;
    readonly fence?: (() => void) | undefined;
    readonly acquire: (signal: AbortSignal) => Promise<Connection>;
  },
): Promise<{ connection: Connection; stream: ClientHttp2Stream }> {
  const connection = await connected(call, scope, options);
  // The fence is called after the last wait, because the process may have been suspended during any wait.
  options.fence?.();
  try {
    const stream = connection.request(headersOf(call, options));
    stream.on('error', () => undefined);
    const framed = frame(request);
    if (options.halfClose) stream.end(framed);
    else stream.write(framed);
    return { connection, stream };
  } catch (error) {
    throw connectError(call, error);
  }
}

async function connected(
  call: CallKind,
  scope: Scope,
  { acquire }: { readonly acquire: (signal: AbortSignal) => Promise<Connection> },
): Promise<Connection> {
  try {
    return await acquire(scope.signal);
  } catch (error) {
    if (scope.endedBy) throw endedError(call, scope.endedBy, false);
    throw connectError(call, error);
  }
}

interface HeaderOptions {
  readonly timeoutMs: number;
  readonly token?: string | undefined;
  readonly isIdleTimeout?: boolean;
}

/** gRPC allows eight digits for a timeout. */
const longestTimeoutMs = 99_999_999;

/**
 * The member gets a slightly longer timeout. At its own timeout it resets the stream without a status, which looks like
 * a lost connection; our timeout comes first and is reported as such.
 */
const serverGraceMs = 1_000;

function headersOf(call: CallKind, options: HeaderOptions): OutgoingHttpHeaders {
  const timeoutMs = Math.min(Math.ceil(options.timeoutMs) + serverGraceMs, longestTimeoutMs);
  return {
    ':method': 'POST',
    ':path': `/etcdserverpb.${call.method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(options.isIdleTimeout ? {} : { 'grpc-timeout': `${timeoutMs}m` }),
    ...(options.token === undefined ? {} : { token: options.token }),
  };
}

/** Collects the metadata of a stream: headers, trailers, its end. */
class Answer {
  readonly #call: CallKind;
  readonly #stream: ClientHttp2Stream;
  #headers: IncomingHttpHeaders & IncomingHttpStatusHeader = {};
  #trailers: IncomingHttpHeaders = {};
  #failure: unknown;

  constructor(stream: ClientHttp2Stream, call: CallKind) {
    this.#call = call;
    this.#stream = stream;
    stream.once('response', (headers) => {
      this.#headers = headers;
    });
    stream.once('trailers', (trailers) => {
      this.#trailers = trailers;
    });
  }

  fail(error: unknown): void {
    this.#failure = error;
  }

  /** Throws unless the status is OK. */
  verdict(): void {
    const status = this.#trailers['grpc-status'] ?? this.#headers['grpc-status'];
    if (status === undefined) throw this.#unfinished();
    const code = Number(status);
    if (code === grpcCodes.ok) return;
    const message = this.#trailers['grpc-message'] ?? this.#headers['grpc-message'] ?? '';
    throw statusError(this.#call, code, decodeGrpcMessage(String(message)));
  }

  #unfinished(): EtcdError {
    const http = this.#headers[':status'];
    if (http !== undefined && http !== 200) {
      return new EtcdError('BadResponse', `HTTP status ${http}; check that this is the client port of an etcd member`, {
        call: this.#call,
      });
    }
    // The server did not process a refused stream.
    const refused = this.#stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
    const [code, text] = isTlsFailure(this.#failure)
      ? (['TlsFailed', 'the member refused the TLS client certificate'] as const)
      : (['Unavailable', 'the connection was lost before the response was complete'] as const);
    return new EtcdError(code, text, {
      call: this.#call,
      outcomeUnknown: this.#call.mutating && !refused,
      cause: this.#failure,
    });
  }
}

function endedError(call: CallKind, endedBy: NonNullable<Scope['endedBy']>, sent: boolean): EtcdError {
  const outcomeUnknown = sent && call.mutating;
  if (endedBy.kind === 'abort') {
    return new EtcdError('Aborted', 'the call was aborted', { call, outcomeUnknown, cause: endedBy.reason });
  }
  const what = sent ? 'no answer' : 'no connection';
  return new EtcdError('Timeout', `${what} within ${endedBy.afterMs} ms`, { call, outcomeUnknown });
}

/** The error if no connection could be opened: nothing was sent. */
function connectError(call: CallKind, error: unknown): EtcdError {
  if (error instanceof EtcdError) return error;
  const code = isTlsFailure(error) ? 'TlsFailed' : 'Unavailable';
  const text = error instanceof Error ? error.message : String(error);
  return new EtcdError(code, text, { call, cause: error });
}

/** The error for an invalid answer. The request may have been carried out. */
export function malformed(call: CallKind, error: unknown): EtcdError {
  if (!(error instanceof FrameError || error instanceof WireError)) throw error;
  return new EtcdError('BadResponse', error.message, { call, outcomeUnknown: call.mutating, cause: error });
}
