// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KubeObject } from '@operator-parts/kube';
import { type Clock, type Logger, silentLogger, systemClock } from '@operator-parts/ports';
import { MetricRegistry } from '../metrics/registry.ts';
import { type Mutator, mutatingWebhook, type Validator, validatingWebhook } from './admission-webhook.ts';
import { assertPair, type Certificate, type CertificateSource } from './certificate.ts';
import { type Converter, conversionWebhook } from './conversion-webhook.ts';
import { readJson } from './request-body.ts';
import { ReviewLine } from './review-line.ts';
import { WaitingBodies, type WaitingBody } from './waiting-bodies.ts';
import type { WebhookHandler } from './webhook.ts';
import { WebhookError } from './webhook-error.ts';
import { type WebhookMetrics, webhookMetrics } from './webhook-metrics.ts';

export interface WebhookServerOptions {
  /** Its serving certificate. The API server trusts it by the `caBundle` of the webhook's configuration. */
  readonly certificate: CertificateSource;
  /** @default 9443 */
  readonly port?: number;
  /** @default every address, of both IP families where the machine has IPv6 */
  readonly host?: string;
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default `silentLogger` */
  readonly log?: Logger;
  readonly metrics?: MetricRegistry;
  /**
   * CA certificates in PEM. If set, a client must present a certificate signed by one of them.
   * @default clients need no certificate
   */
  readonly clientCa?: string;
  /** Maximum body size in bytes; a review contains an object twice. @default 8 MiB */
  readonly maxBodyBytes?: number;
  /** How many reviews are handled concurrently; more wait, each within its own time limit. @default 64 */
  readonly maxConcurrent?: number;
  /**
   * Time limit for receiving a body, in milliseconds; the review's own timeout applies if it is shorter.
   * @default 3000
   */
  readonly bodyTimeout?: number;
  /** Time limit for an answer, in milliseconds; the API server's timeout applies if it is shorter. @default 10000 */
  readonly timeout?: number;
  /** How often the certificate is read again, in milliseconds. @default 10000 */
  readonly reloadPeriod?: number;
  /** How long stopping waits for reviews in progress, in milliseconds. @default 5000 */
  readonly gracePeriod?: number;
}

const defaultBodyBytes = 8 * 2 ** 20;

/**
 * An HTTPS server for admission and conversion webhooks. Body size, time and concurrency are limited. A review gets a
 * slot only when it has arrived completely, so slow senders cannot block others. A new certificate is used without
 * dropping connections; if it is invalid, the old one stays in use. If a handler throws or takes too long, the answer
 * is an HTTP error, and the API server applies the webhook's failure policy.
 */
export class WebhookServer {
  readonly name = 'webhook server';
  /** Every replica answers reviews. */
  readonly needsLeader = false;
  readonly #options: WebhookServerOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: WebhookMetrics;
  readonly #handlers = new Map<string, WebhookHandler>();
  readonly #line: ReviewLine;
  readonly #waiting: WaitingBodies;
  #server: Server | undefined;
  #certificate: Certificate | undefined;
  /** Why there is no certificate yet; empty if there is one. */
  #problem = '';
  #inFlight = 0;
  #stopping = false;

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLogger;
    this.#metrics = webhookMetrics(options.metrics ?? new MetricRegistry());
    this.#line = new ReviewLine(options.maxConcurrent ?? 64);
    this.#waiting = new WaitingBodies(8 * (options.maxBodyBytes ?? defaultBodyBytes));
  }

  /** The address it listens on, while it does. */
  get address(): AddressInfo | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' ? (address ?? undefined) : undefined;
  }

  /** Answers AdmissionReviews at `path` with a verdict. */
  validate<T extends KubeObject>(path: string, validator: Validator<T>): void {
    this.handle(path, validatingWebhook(validator));
  }

  /** Answers AdmissionReviews at `path` with a verdict or a changed object. */
  mutate<T extends KubeObject>(path: string, mutator: Mutator<T>): void {
    this.handle(path, mutatingWebhook(mutator));
  }

  /** Answers ConversionReviews at `path`. */
  convert(path: string, converter: Converter): void {
    this.handle(path, conversionWebhook(converter));
  }

  /** Answers any other review at `path`. */
  handle(path: string, handler: WebhookHandler): void {
    if (this.#handlers.has(path)) throw new Error(`a webhook is already registered at ${path}`);
    this.#handlers.set(path, handler);
  }

  /** A check for `Manager.addReadyCheck`. */
  readonly ready = (): string | undefined => {
    if (this.address) return undefined;
    return `the webhook server is not listening yet${this.#problem && `: ${this.#problem}`}`;
  };

  /** Serves until `signal` is aborted, then finishes reviews in progress for a short time and resolves. */
  async run(signal: AbortSignal): Promise<void> {
    const server = await this.#listen(signal);
    if (server === undefined) return;
    try {
      await this.#keepCertificate(server, signal);
    } finally {
      await this.#close(server);
    }
  }

  /** Resolves when the server listens. Waits while the certificate is missing or invalid. */
  async #listen(signal: AbortSignal): Promise<Server | undefined> {
    const { host, port = 9443, reloadPeriod = 10_000, clientCa } = this.#options;
    while (!(await this.#loadCertificate())) {
      await this.#clock.sleep(Math.min(1000, reloadPeriod), signal).catch(() => undefined);
      if (signal.aborted) return undefined;
    }
    const server = createServer(
      {
        ...this.#certificate,
        ...(clientCa && { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
        minVersion: 'TLSv1.2',
        requestTimeout: 30_000,
        headersTimeout: 10_000,
      },
      (request, response) => void this.#serve(request, response),
    );
    server.maxConnections = 1000;
    server.on('clientError', (_, socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...(host !== undefined && { host }), port }, resolve);
    });
    server.on('error', (error) => this.#log.error('webhook server failed', { error }));
    this.#server = server;
    this.#log.info('webhook server is listening', { address: server.address(), paths: [...this.#handlers.keys()] });
    return server;
  }

  async #keepCertificate(server: Server, signal: AbortSignal): Promise<void> {
    const { reloadPeriod = 10_000, clientCa } = this.#options;
    while (!signal.aborted) {
      await this.#clock.sleep(reloadPeriod, signal).catch(() => undefined);
      if (signal.aborted || !(await this.#loadCertificate())) continue;
      server.setSecureContext({ ...this.#certificate, ...(clientCa && { ca: clientCa }), minVersion: 'TLSv1.2' });
      this.#log.info('webhook server loaded a new certificate');
    }
  }

  /** True if there is a new, valid certificate. */
  async #loadCertificate(): Promise<boolean> {
    try {
      const { cert, key } = await this.#options.certificate();
      const isNew = cert !== this.#certificate?.cert || key !== this.#certificate.key;
      if (isNew) assertPair(cert, key);
      this.#certificate = { cert, key };
      this.#problem = '';
      this.#metrics.reloads.labels(isNew ? 'new' : 'unchanged').inc();
      return isNew;
    } catch (error) {
      this.#metrics.reloads.labels('failed').inc();
      const meanwhile = this.#certificate
        ? 'the current certificate stays in use'
        : 'no review is answered until a valid certificate is loaded';
      this.#log.warn(`serving certificate cannot be used; ${meanwhile}`, { error });
      if (!this.#certificate) this.#problem = `its certificate cannot be used (${messageOf(error)})`;
      return false;
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = this.#clock.monotonic();
    const { path, timeout } = addressOf(request.url);
    const handler = this.#handlers.get(path);
    const webhook = handler ? path : 'unknown';
    this.#metrics.inFlight.set(++this.#inFlight);
    let status = 200;
    try {
      const answer = JSON.stringify(await this.#answer(handler, request, timeout));
      const last = this.#stopping ? { connection: 'close' } : {};
      response.writeHead(200, { 'content-type': 'application/json', ...last }).end(answer);
    } catch (thrown) {
      const error = WebhookError.from(thrown);
      status = handler ? error.httpStatus : 404;
      this.#log.warn('review was not answered', { webhook, code: error.code, error });
      this.#refuse(request, response, status, error.message);
    } finally {
      this.#metrics.inFlight.set(--this.#inFlight);
      this.#metrics.requests.labels(webhook, String(status)).inc();
      this.#metrics.latency.labels(webhook).observe((this.#clock.monotonic() - begun) / 1000);
    }
  }

  async #answer(handler: WebhookHandler | undefined, request: IncomingMessage, timeout: number): Promise<unknown> {
    if (!handler) throw new WebhookError('BadRequest', 'there is no webhook at this path');
    if (request.method !== 'POST')
      throw new WebhookError('BadRequest', `reviews are sent by POST, not ${request.method}`);
    let giveBack: () => void = () => undefined;
    try {
      return await this.#withinTime(timeout, async (signal) => {
        const admitted = await this.#admit(request, timeout, signal);
        ({ giveBack } = admitted);
        // The time limit may have passed at the moment the slot became free.
        if (signal.aborted) giveBack();
        signal.throwIfAborted();
        return handler(admitted.body, { signal, log: this.#log });
      });
    } finally {
      giveBack();
    }
  }

  /** The body of a review, once there is room for it. */
  async #admit(
    request: IncomingMessage,
    timeout: number,
    signal: AbortSignal,
  ): Promise<{ readonly body: unknown; readonly giveBack: () => void }> {
    const givenUp = new AbortController();
    const waiting = this.#waiting.begin((reason) => givenUp.abort(reason));
    try {
      const body = await this.#readBody(request, timeout, waiting, givenUp);
      return { body, giveBack: await this.#line.take(AbortSignal.any([signal, givenUp.signal])) };
    } finally {
      waiting.end();
    }
  }

  /** The body, if it arrives within a short time limit: only slow senders exceed it. */
  async #readBody(
    request: IncomingMessage,
    timeout: number,
    waiting: WaitingBody,
    givenUp: AbortController,
  ): Promise<unknown> {
    const { maxBodyBytes = defaultBodyBytes, bodyTimeout = 3000 } = this.#options;
    const limit = Math.min(bodyTimeout, timeout);
    const late = new WebhookError('Timeout', `the body did not arrive within ${limit} ms`);
    const timer = this.#clock.schedule(limit, () => givenUp.abort(late));
    const failed = new Promise<never>((_, reject) => {
      givenUp.signal.addEventListener('abort', () => reject(givenUp.signal.reason), { once: true });
    });
    // The rejection may come when nothing awaits it any more.
    failed.catch(() => undefined);
    try {
      const body = await Promise.race([readJson(request, maxBodyBytes, waiting.more), failed]);
      waiting.complete();
      return body;
    } finally {
      timer.cancel();
    }
  }

  /** The result of `work`, or a timeout error, even if `work` ignores its signal. */
  async #withinTime(timeout: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const limit = Math.min(this.#options.timeout ?? 10_000, timeout);
    const controller = new AbortController();
    const late = new WebhookError('Timeout', `the webhook did not finish within ${limit} ms`);
    const expired = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => reject(late), { once: true });
    });
    const timer = this.#clock.schedule(limit, () => controller.abort(late));
    try {
      return await Promise.race([work(controller.signal), expired]);
    } finally {
      timer.cancel();
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
    if (response.headersSent || response.destroyed) return;
    // The rest of the body is not read: the connection ends with the answer.
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(`${message}\n`, () => request.destroy());
  }

  async #close(server: Server): Promise<void> {
    this.#stopping = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const timer = this.#clock.schedule(this.#options.gracePeriod ?? 5000, () => server.closeAllConnections());
    await closed;
    timer.cancel();
    this.#server = undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Parses the request. Any URL is accepted here; an unknown path has no handler. */
function addressOf(target = '/'): { readonly path: string; readonly timeout: number } {
  const [path = '/', query = ''] = target.split('?', 2);
  return { path, timeout: timeoutOf(new URLSearchParams(query)) };
}

/** The API server says how long it waits, as in `?timeout=5s`. */
function timeoutOf(query: URLSearchParams): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(query.get('timeout') ?? '');
  if (!match) return Number.POSITIVE_INFINITY;
  return Number(match[1]) * (match[2] === 's' ? 1000 : 1);
}
