// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock, Logger } from '@operator-parts/ports';
import type { CertificateSource } from '../admission/certificate.ts';
import type { Runnable } from '../manager/runnable.ts';
import { type MetricRegistry, metricsContentType } from './registry.ts';

/** Whether the owner of a token may read metrics: `Unknown` if the API server does not know the token. */
export type ReaderVerdict = 'Allowed' | 'Denied' | 'Unknown';

export interface SecureMetricsOptions {
  /** 0 takes any free port; see `address`. */
  readonly port: number;
  /** @default every address, of both IP families where the machine has IPv6 */
  readonly host?: string;
  readonly certificate: CertificateSource;
  /** See `metricsReaders`. */
  readonly judge: (token: string) => Promise<ReaderVerdict>;
  readonly metrics: MetricRegistry;
  readonly clock: Clock;
  readonly log: Logger;
  /** How often the certificate is read again, in milliseconds. @default 10000 */
  readonly reloadPeriod?: number;
}

/** Longer than any token. */
const longestToken = 16_384;

/**
 * Serves `/metrics` over TLS to clients that may read it, and nothing else. A new certificate is used without a
 * restart; if it is invalid, the old one stays in use.
 */
export class SecureMetrics implements Runnable {
  readonly name = 'secure metrics';
  readonly needsLeader = false;
  readonly #options: SecureMetricsOptions;
  #server: Server | undefined;

  constructor(options: SecureMetricsOptions) {
    this.#options = options;
  }

  /** The address it listens on, once it does. */
  get address(): AddressInfo | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' ? (address ?? undefined) : undefined;
  }

  /** Rejects if there is no certificate at the start, or the port is in use. */
  async run(signal: AbortSignal): Promise<void> {
    const { certificate, clock, log, host, port, reloadPeriod = 10_000 } = this.#options;
    let current = await certificate();
    const limits = { requestTimeout: 10_000, headersTimeout: 5000, keepAliveTimeout: 5000 };
    const server = createServer({ ...current, ...limits, minVersion: 'TLSv1.2' }, (request, response) => {
      request.resume();
      void this.#answer(request).then(({ status, type = 'text/plain; charset=utf-8', body }) => {
        response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' });
        response.end(body);
      });
    });
    server.maxConnections = 100;
    server.on('clientError', (_, socket) => socket.destroy());
    server.on('tlsClientError', (_, socket) => socket.destroy());
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...(host !== undefined && { host }), port }, resolve);
    });
    while (!signal.aborted) {
      await clock.sleep(reloadPeriod, signal).catch(() => undefined);
      try {
        const next = signal.aborted ? current : await certificate();
        if (next.cert === current.cert && next.key === current.key) continue;
        server.setSecureContext({ ...next, minVersion: 'TLSv1.2' });
        current = next;
      } catch (error) {
        log.warn('the new certificate for metrics cannot be used; the current certificate stays in use', { error });
      }
    }
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  async #answer({ method, url = '/', headers }: IncomingMessage): Promise<Answer> {
    const token = /^bearer +(\S+)$/i.exec((headers.authorization ?? '').slice(0, longestToken))?.[1];
    const verdict = token === undefined ? 'Unknown' : await this.#judge(token);
    if (verdict === 'Unknown') return { status: 401, body: 'a valid bearer token is required\n' };
    if (verdict === 'Denied') return { status: 403, body: 'permission to get /metrics is required\n' };
    if (verdict === 'Failed') return { status: 503, body: 'the token cannot be checked with the API server\n' };
    if (method !== 'GET' || url.split('?', 1)[0] !== '/metrics') return { status: 404, body: 'GET /metrics\n' };
    return { status: 200, type: metricsContentType, body: this.#options.metrics.render() };
  }

  async #judge(token: string): Promise<ReaderVerdict | 'Failed'> {
    try {
      return await this.#options.judge(token);
    } catch (error) {
      this.#options.log.warn('a request for metrics cannot be authorized', { error });
      return 'Failed';
    }
  }
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}
