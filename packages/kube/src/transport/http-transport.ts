// SPDX-License-Identifier: Apache-2.0
import type { Clock, Random } from '@operator-parts/ports';
import type { Dispatcher } from 'undici';
import { KubeError } from '../kube-error.ts';
import { linkAbort } from './abort-link.ts';
import { createDispatchers, type Dispatchers, type TlsMaterial } from './dispatchers.ts';
import { openWebSocket } from './open-web-socket.ts';
import { fenceOnSend } from './send-fence.ts';
import type { ChannelRequest, MessageChannel, Transport, TransportRequest, TransportResponse } from './transport.ts';
import { describe, transportError } from './transport-error.ts';
import { untilAborted } from './until-aborted.ts';

export interface HttpTransportOptions {
  /** `https://host:6443` or, for `kubectl proxy` and tests, `http://...`; its path is a prefix of every request. */
  readonly server: string;
  /** The TLS settings, requested before every request; if they changed, new requests use new connections. */
  readonly tls?: () => TlsMaterial | Promise<TlsMaterial>;
  readonly proxyUrl?: string;
  /** Connections for calls; watches and Leases have their own. @default 8 */
  readonly connections?: number;
  /** Timeout for the start of an answer, and between two pieces of its body, in milliseconds. @default 60 s */
  readonly requestTimeout?: number;
  /** Timeout for opening a connection, in milliseconds. @default 10 s */
  readonly connectTimeout?: number;
  readonly clock: Clock;
  readonly random: Random;
}

const defaultRequestTimeout = 60_000;
const defaultConnectTimeout = 10_000;
const defaultConnections = 8;

/** HTTP/1.1 to one API server, through undici. */
export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #requestTimeout: number;
  readonly #closing = new AbortController();
  #current: { readonly tls: TlsMaterial; readonly dispatchers: Dispatchers } | undefined;

  constructor(options: HttpTransportOptions) {
    const url = URL.parse(options.server);
    if (!url || !['http:', 'https:'].includes(url.protocol)) {
      throw new KubeError(
        'Configuration',
        `the server ${JSON.stringify(options.server)} is not an http:// or https:// URL`,
      );
    }
    this.#options = options;
    this.#origin = url.origin;
    this.#basePath = withoutTrailingSlashes(url.pathname);
    this.#requestTimeout = options.requestTimeout ?? defaultRequestTimeout;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const abort = this.#abortFor(request);
    try {
      const dispatcher = dispatcherFor(request, await untilAborted(this.#dispatchers(), abort.controller.signal));
      const fenced = request.fence ? dispatcher.compose(fenceOnSend(request)) : dispatcher;
      const response = await fenced.request({
        origin: this.#origin,
        path: this.#basePath + request.path,
        method: request.method,
        headers: request.headers as Record<string, string | string[]>,
        body: request.body ?? null,
        signal: abort.controller.signal,
      });
      abort.answered();
      response.body.once('close', abort.release);
      return { status: response.statusCode, headers: joined(response.headers), body: response.body };
    } catch (error) {
      abort.release();
      throw transportError(error, request, request.signal);
    }
  }

  async connect(request: ChannelRequest): Promise<MessageChannel> {
    const summary = { method: 'GET', path: request.path };
    const abort = this.#abortFor({ ...summary, ...(request.signal ? { signal: request.signal } : {}) });
    try {
      const { streams } = await untilAborted(this.#dispatchers(), abort.controller.signal);
      const { clock, random } = this.#options;
      const target = { origin: this.#origin, path: this.#basePath + request.path };
      const channel = await openWebSocket(streams, target, request, { clock, random, signal: abort.controller.signal });
      abort.answered();
      return channel;
    } catch (error) {
      throw transportError(error, summary, request.signal);
    } finally {
      abort.release();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new KubeError('Aborted', 'the transport was closed'));
    const dispatchers = this.#current?.dispatchers;
    this.#current = undefined;
    if (!dispatchers) return;
    const { calls, leases, streams } = dispatchers;
    await Promise.all([calls.destroy(), leases.destroy(), streams.destroy()]);
  }

  /**
   * Aborts a request when its caller aborts it, when the transport is closed, or when its answer does not start in
   * time.
   */
  #abortFor(request: { readonly method: string; readonly path: string; readonly signal?: AbortSignal }): {
    readonly controller: AbortController;
    readonly answered: () => void;
    readonly release: () => void;
  } {
    const controller = new AbortController();
    const unlinkCaller = linkAbort(request.signal, controller);
    const unlinkClosing = linkAbort(this.#closing.signal, controller);
    const timer = this.#options.clock.schedule(this.#requestTimeout, () => {
      const message = `${describe(request)} was not answered within ${this.#requestTimeout} ms`;
      controller.abort(new KubeError('Timeout', message, { request: { method: request.method, path: request.path } }));
    });
    const release = () => {
      timer.cancel();
      unlinkCaller();
      unlinkClosing();
    };
    return { controller, answered: () => timer.cancel(), release };
  }

  async #dispatchers(): Promise<Dispatchers> {
    const tls = (await this.#options.tls?.()) ?? {};
    const current = this.#current;
    if (current && sameMaterial(current.tls, tls)) return current.dispatchers;
    const dispatchers = createDispatchers({
      tls,
      proxyUrl: this.#options.proxyUrl,
      connections: this.#options.connections ?? defaultConnections,
      bodyTimeout: this.#requestTimeout,
      connectTimeout: this.#options.connectTimeout ?? defaultConnectTimeout,
    });
    this.#current = { tls, dispatchers };
    if (current) retire(current.dispatchers);
    return dispatchers;
  }
}

function dispatcherFor({ streaming, path }: TransportRequest, { calls, leases, streams }: Dispatchers): Dispatcher {
  if (streaming) return streams;
  return path.startsWith('/apis/coordination.k8s.io/') ? leases : calls;
}

/** Running requests finish; then their connections close. */
function retire({ calls, leases, streams }: Dispatchers): void {
  for (const dispatcher of [calls, leases, streams]) dispatcher.close().catch(() => undefined);
}

function sameMaterial(left: TlsMaterial, right: TlsMaterial): boolean {
  return (
    left === right ||
    (left.ca === right.ca && left.cert === right.cert && left.key === right.key && left.serverName === right.serverName)
  );
}

function joined(headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
