// SPDX-License-Identifier: Apache-2.0

import type { CallContext } from './grpc/call.ts';
import { malformed, streaming, unary } from './grpc/call.ts';
import type { CallKind } from './grpc/status.ts';
import type { TokenSource } from './token-source.ts';
import type { MessageType } from './wire/message.ts';

/** Options of every call. */
export interface RequestOptions {
  /** The timeout of the whole call, including opening the connection. @default the client's `timeoutMs` */
  readonly timeoutMs?: number;
  /** Ends the call at once. */
  readonly signal?: AbortSignal;
  /**
   * Called when a connection is open and the request is about to be sent; if it throws, nothing is sent and the call
   * rejects with that error.
   */
  readonly fence?: () => void;
}

/** One call of etcd's API: its name, its messages, and its properties. */
export interface Method<Request, Response> {
  /** `Cluster/MemberAdd`. */
  readonly name: string;
  readonly request: MessageType<unknown, Request>;
  readonly response: MessageType<Response, never>;
  readonly mutating: boolean;
  /** The first version of etcd with this call; absent if all versions have it. */
  readonly since?: string;
}

/** Makes calls to one member: handles messages, tokens and deadlines. */
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

  /** A call with one answer. Nothing is retried, except a call that was refused because the token had expired. */
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
   * A call with any number of answers. The request side stays open while the answers are read; `timeoutMs` limits each
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
      isIdleTimeout: true,
    });
    for await (const answer of answers) yield decode(call, method.response, answer);
  }

  /** The current token, for calls that are not made with `call` or `stream`. */
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
