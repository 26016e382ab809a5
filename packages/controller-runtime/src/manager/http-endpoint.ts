// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '@operator-parts/ports';

/** The manager's HTTP server for probes and metrics. */
export interface HttpOptions {
  /** 0 takes any free port; see `Manager.httpAddress`. */
  readonly port: number;
  /** @default every address, of both IP families where the machine has IPv6 */
  readonly host?: string;
  /** Serves `/metrics`, too. False if `SecureMetrics` serves it. @default true */
  readonly metrics?: boolean;
}

/** The answer of a route. */
export interface RouteAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** A small HTTP server for probes and metrics: GET only, exact paths, limited time and connections. */
export class HttpEndpoint {
  readonly #options: HttpOptions;
  readonly #server: Server;
  readonly #log: Logger;

  constructor(options: HttpOptions, routes: ReadonlyMap<string, () => RouteAnswer>, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#server = createServer(
      { requestTimeout: 10_000, headersTimeout: 5000, keepAliveTimeout: 5000 },
      (request, response) => {
        // Probes have no body; a body that is sent anyway is discarded.
        request.resume();
        const answer = this.#answer(routes, request.method, request.url);
        response.writeHead(answer.status, { 'content-type': answer.type, 'x-content-type-options': 'nosniff' });
        response.end(request.method === 'HEAD' ? undefined : answer.body);
      },
    );
    this.#server.maxConnections = 100;
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  /** The address it listens on, once it does. */
  get address(): AddressInfo | undefined {
    const address = this.#server.address();
    return typeof address === 'object' ? (address ?? undefined) : undefined;
  }

  /** Resolves when it listens; rejects if it cannot. */
  listen(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ ...(host !== undefined && { host }), port }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => this.#log.error('http endpoint failed', { error }));
        resolve();
      });
    });
  }

  /** Resolves when all connections are closed. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #answer(
    routes: ReadonlyMap<string, () => RouteAnswer>,
    method: string | undefined,
    url: string | undefined,
  ): RouteAnswer {
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'only GET is supported\n');
    const route = routes.get((url ?? '/').split('?', 1)[0] ?? '/');
    if (!route) return plain(404, `not found; available paths: ${[...routes.keys()].join(', ')}\n`);
    try {
      return route();
    } catch (error) {
      this.#log.error('http route failed', { url, error });
      return plain(500, 'internal error; see the log of this process\n');
    }
  }
}

export function plain(status: number, body: string): RouteAnswer {
  return { status, type: 'text/plain; charset=utf-8', body };
}
