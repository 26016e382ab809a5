// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Asked, Told } from './behaviours/behaviour.ts';
import { testdata } from './testdata.ts';

/** A request as the client sent it. */
export interface ProxiedRequest {
  /** Counted from 1, since the last `expect`. */
  readonly index: number;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Answer {
  readonly status: number;
  /** The headers except Content-Length, which is the length of the body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** What happens to a request instead of forwarding it. */
export type Fault =
  /** The connection breaks before the server gets it. */
  | { readonly kind: 'cut-before' }
  /** The connection breaks after half of the body; the server has received that half. */
  | { readonly kind: 'cut-upload' }
  /** The server handles it, and the connection breaks before the answer. */
  | { readonly kind: 'cut-after' }
  /** The connection breaks in the middle of the answer's body, after this many bytes. */
  | { readonly kind: 'cut-response'; readonly after: number }
  /** One bit of the body is changed before the server gets it. */
  | { readonly kind: 'corrupt' }
  /** There is no answer, ever. */
  | { readonly kind: 'stall' }
  /** The server does not get it; this is the answer. */
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** The server handles it, and its answer is changed to this. */
  | { readonly kind: 'alter'; readonly alter: (answer: Answered) => Answer }
  /** The answer's body comes byte by byte, twenty a second. */
  | { readonly kind: 'trickle' }
  /** An answer with an endless body, as fast as the client reads. */
  | { readonly kind: 'endless'; readonly status: number };

/** An answer of the server. */
export type Answered = Told;

/** What happens to a request instead of forwarding it: an answer, a cut connection, or no answer. */
type Outcome = Answered | 'cut' | 'stall';

export interface ProxyOptions {
  /** Serves TLS with a certificate from testdata, like proxies that terminate TLS in front of a store. */
  readonly tls?: boolean;
  /** An answer in place of the server's. */
  readonly before?: (request: ProxiedRequest) => Answer | undefined;
  readonly after?: (request: ProxiedRequest, answer: Answered) => void;
  /** Behaviour of the store that the server lacks, or a fault of it; `pass` forwards the request to the server. */
  readonly behaviour?: (asked: Asked, pass: () => Promise<Answered>) => Promise<Outcome>;
}

/** A proxy in front of a real server that applies faults of networks and overloaded servers to selected requests. */
export class FaultProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #upstreamPort: number;
  readonly #hooks: ProxyOptions;
  #plan: (request: ProxiedRequest) => Fault | undefined = () => undefined;
  #seen: ProxiedRequest[] = [];

  private constructor(server: Server, port: number, upstreamPort: number, hooks: ProxyOptions) {
    this.#server = server;
    this.port = port;
    this.#upstreamPort = upstreamPort;
    this.#hooks = hooks;
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.#handle(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async start(upstreamPort: number, hooks: ProxyOptions = {}): Promise<FaultProxy> {
    const pem = (name: string) => readFileSync(testdata(name));
    const server = hooks.tls ? createTlsServer({ cert: pem('server.pem'), key: pem('server.key') }) : createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return new FaultProxy(server, address.port, upstreamPort, hooks);
  }

  /** Applies this plan from now on, and counts requests from 1 again. */
  expect(plan: (request: ProxiedRequest) => Fault | undefined): void {
    this.#plan = plan;
    this.#seen = [];
  }

  /** Requests since the last `expect`. */
  get seen(): readonly ProxiedRequest[] {
    return this.#seen;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const proxied: ProxiedRequest = { index: this.#seen.length + 1, method, url, headers };
    this.#seen.push(proxied);
    const fault = this.#plan(proxied);
    if (fault?.kind === 'stall') return;
    if (fault?.kind === 'cut-before') {
      incoming.destroy();
      return;
    }
    const body = await bodyOf(incoming);
    const instead = fault?.kind === 'answer' ? fault.answer : this.#hooks.before?.(proxied);
    if (fault?.kind === 'endless') await flood(outgoing, fault.status);
    else if (fault?.kind === 'cut-upload') this.#half(proxied, body, outgoing);
    else if (instead)
      await this.#reply(fault, { headers: {}, ...instead, body: Buffer.from(instead.body ?? '') }, outgoing);
    else
      await this.#reply(fault, await this.#pass(proxied, fault?.kind === 'corrupt' ? corrupted(body) : body), outgoing);
  }

  #upstream({ method, url, headers }: ProxiedRequest) {
    return request({ host: '127.0.0.1', port: this.#upstreamPort, method, path: url, headers, agent: this.#agent });
  }

  #half(proxied: ProxiedRequest, body: Buffer, outgoing: ServerResponse): void {
    const upstream = this.#upstream(proxied);
    upstream.on('error', () => {});
    upstream.write(body.subarray(0, Math.floor(body.byteLength / 2)), () => {
      upstream.destroy();
      outgoing.destroy();
    });
  }

  async #pass(proxied: ProxiedRequest, body: Buffer): Promise<Outcome> {
    const { behaviour } = this.#hooks;
    if (!behaviour) return this.#forward(proxied, body);
    const { method, url, headers } = proxied;
    const asked = { method, url: new URL(url, 'http://store'), headers, body };
    return behaviour(asked, () => this.#forward(proxied, body));
  }

  async #forward(proxied: ProxiedRequest, body: Buffer): Promise<Answered> {
    const upstream = this.#upstream(proxied);
    upstream.end(body);
    const [response] = (await once(upstream, 'response')) as [IncomingMessage];
    const headers = headersOf(response.headers);
    const answer = { status: response.statusCode ?? 0, headers, body: await bodyOf(response) };
    this.#hooks.after?.(proxied, answer);
    return answer;
  }

  async #reply(fault: Fault | undefined, answer: Outcome, outgoing: ServerResponse): Promise<void> {
    if (answer === 'stall') return;
    if (answer === 'cut' || fault?.kind === 'cut-after') {
      outgoing.destroy();
      return;
    }
    const { status, headers = {}, body = '' } = fault?.kind === 'alter' ? fault.alter(answer) : answer;
    const pieces = fault?.kind === 'trickle' ? { bytes: 1, everyMs: 50 } : answer.trickle;
    const content = Buffer.from(body);
    // The length in an answer to HEAD is that of the missing body.
    const isLong = outgoing.req.method !== 'HEAD' && status !== 204;
    outgoing.writeHead(status, { ...headers, ...(isLong && { 'content-length': content.byteLength }) });
    if (fault?.kind === 'cut-response') outgoing.write(content.subarray(0, fault.after), () => outgoing.destroy());
    else if (pieces) await trickle(outgoing, content, pieces);
    else outgoing.end(content);
  }
}

async function trickle(
  outgoing: ServerResponse,
  content: Buffer,
  { bytes, everyMs }: NonNullable<Answered['trickle']>,
): Promise<void> {
  for (let at = 0; at < content.byteLength; at += bytes) {
    if (outgoing.destroyed) return;
    outgoing.write(content.subarray(at, at + bytes));
    await new Promise((resolve) => setTimeout(resolve, everyMs).unref());
  }
  outgoing.end();
}

async function flood(outgoing: ServerResponse, status: number): Promise<void> {
  outgoing.writeHead(status, { 'content-type': 'text/html' });
  const page = Buffer.alloc(64 * 1024, '<html>');
  outgoing.on('error', () => {});
  while (!outgoing.destroyed) {
    // If the client disconnects, the wait never ends, and nothing awaits it.
    if (!outgoing.write(page)) await new Promise((resolve) => outgoing.once('drain', resolve));
  }
}

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The body is forwarded in one piece; its chunks do not matter. */
function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name !== 'transfer-encoding' && name !== 'connection');
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

/** A copy of the body with one bit changed in the middle. */
export function corrupted(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  const middle = Math.floor(copy.byteLength / 2);
  copy[middle] = (copy[middle] ?? 0) ^ 1;
  return copy;
}
