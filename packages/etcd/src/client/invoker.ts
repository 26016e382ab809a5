// SPDX-License-Identifier: Apache-2.0

import type { CallContext } from './grpc/call.ts';
import { malformed, streaming, unary } from './grpc/call.ts';
import type { CallKind } from './grpc/status.ts';
import type { TokenSource } from './token-source.ts';
import type { MessageType } from './wire/message.ts';

/** What a caller may say about any call. */
export interface RequestOptions {
  /** How long the whole call may take, opening the connection included. @default the client's `timeoutMs` */
  readonly timeoutMs?: number;
  /** Ends the call at once. */
  readonly signal?: AbortSignal;
  /**
   * Asked when a connection is there and the request is about to leave; if it throws, nothing is sent and the call rejects with
   * what it threw.
   */
  readonly fence?: () => void;
}

/** One call of etcd's API: its name on the wire, its messages, and what must be known of it. */
export interface Method<Request, Response> {
  /** `Cluster/MemberAdd`. */
  readonly name: string;
  readonly request: MessageType<unknown, Request>;
  readonly response: MessageType<Response, never>;
  readonly mutating: boolean;
  /** The first version that knows it, if that is not the oldest there is. */
  readonly since?: string;
}

/** Makes calls to one member: messages in, messages out, tokens and deadlines taken care of. */
export class Invoker {
  readonly #context: CallContext;
  readonly #tokens: TokenSource;
  readonly #endpoint: string;
  readonly #defaults: { readonly timeoutMs: number; readonly maxMessageBytes: number };

  constructor(
    context: CallContext,
    tokens: TokenSource,
    endpoint: string,
    defaults: { readonly timeoutMs: number; readonly maxMessageBytes: number },
  ) {
    this.#context = context;
    this.#tokens = tokens;
    this.#endpoint = endpoint;
    this.#defaults = defaults;
  }

  /** A call with one answer. Nothing is repeated, but for a call that was refused because the token had grown old. */
  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options: RequestOptions = {},
  ): Promise<Response> {
    const call = this.kindOf(method);
    const bytes = method.request.encode(request);
    const answer = await this.#tokens.use(options, (token) =>
      unary(this.#context, call, bytes, { ...this.#defaults, ...options, token }),
    );
    return decode(call, method.response, answer);
  }

  /**
   * A call with any number of answers. The request side stays open as long as the answers are read; `timeoutMs` limits each
   * wait for the next one.
   */
  async *stream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options: RequestOptions = {},
  ): AsyncGenerator<Response, void, undefined> {
    const call = this.kindOf(method);
    const token = await this.#tokens.current(options);
    const answers = streaming(this.#context, call, method.request.encode(request), {
      ...this.#defaults,
      ...options,
      token,
      halfClose: false,
      silenceOnly: true,
    });
    for await (const answer of answers) yield decode(call, method.response, answer);
  }

  /** The token to send, for calls that are made by other means. */
  token(options: RequestOptions): Promise<string | undefined> {
    return this.#tokens.current(options);
  }

  get context(): CallContext {
    return this.#context;
  }

  kindOf(method: { readonly name: string; readonly mutating: boolean; readonly since?: string }): CallKind {
    return { method: method.name, endpoint: this.#endpoint, mutating: method.mutating, since: method.since };
  }
}

function decode<Response>(call: CallKind, type: MessageType<Response, never>, bytes: Uint8Array): Response {
  try {
    return type.decode(bytes);
  } catch (error) {
    throw malformed(call, error);
  }
}
