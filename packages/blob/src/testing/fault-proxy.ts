// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';

/** A request as it came from the client. */
export interface ProxiedRequest {
  /** Counted from 1, since the last `expect`. */
  readonly index: number;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What is done to a request instead of passing it on. */
export type Fault =
  /** The connection breaks before the server hears of it. */
  | { readonly kind: 'cut-before' }
  /** The connection breaks when half of the body has come; the server has seen that half. */
  | { readonly kind: 'cut-upload' }
  /** The server does its work, and the connection breaks before the answer comes back. */
  | { readonly kind: 'cut-after' }
  /** The connection breaks in the middle of the answer's body, after this many bytes. */
  | { readonly kind: 'cut-response'; readonly after: number }
  /** One bit of the body is another one when it reaches the server. */
  | { readonly kind: 'corrupt' }
  /** Nothing ever happens. */
  | { readonly kind: 'stall' }
  | { readonly kind: 'answer'; readonly answer: Answer };

/** Corrects a server where it is not what it stands for. */
export interface ProxyHooks {
  /** An answer that takes the place of the server's. */
  readonly before?: (request: ProxiedRequest) => Answer | undefined;
  readonly after?: (request: ProxiedRequest, answer: Answer) => void;
}

/** Stands in front of a real server and does to chosen requests what networks and overloaded servers do. */
export class FaultProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #upstreamPort: number;
  readonly #hooks: ProxyHooks;
  #plan: (request: ProxiedRequest) => Fault | undefined = () => undefined;
  #seen: ProxiedRequest[] = [];

  private constructor(server: Server, port: number, upstreamPort: number, hooks: ProxyHooks) {
    this.#server = server;
    this.port = port;
    this.#upstreamPort = upstreamPort;
    this.#hooks = hooks;
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.#handle(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async start(upstreamPort: number, hooks: ProxyHooks = {}): Promise<FaultProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return new FaultProxy(server, address.port, upstreamPort, hooks);
  }

  /** From now on, this is done to requests, which are counted anew. */
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
    if (fault?.kind === 'answer') {
      answer(outgoing, fault.answer);
      return;
    }
    const corrected = this.#hooks.before?.(proxied);
    if (corrected) {
      answer(outgoing, corrected);
      return;
    }
    await this.#pass(proxied, body, outgoing, fault);
  }

  async #pass(
    proxied: ProxiedRequest,
    body: Buffer,
    outgoing: ServerResponse,
    fault: Fault | undefined,
  ): Promise<void> {
    const { method, url, headers } = proxied;
    const upstream = request({
      host: '127.0.0.1',
      port: this.#upstreamPort,
      method,
      path: url,
      headers,
      agent: this.#agent,
    });
    if (fault?.kind === 'cut-upload') {
      upstream.on('error', () => {});
      upstream.write(body.subarray(0, Math.floor(body.byteLength / 2)), () => {
        upstream.destroy();
        outgoing.destroy();
      });
      return;
    }
    upstream.end(fault?.kind === 'corrupt' ? corrupted(body) : body);
    const [response] = (await once(upstream, 'response')) as [IncomingMessage];
    const content = await bodyOf(response);
    const status = response.statusCode ?? 0;
    const answerHeaders = headersOf(response.headers);
    this.#hooks.after?.(proxied, { status, headers: answerHeaders, body: content.toString() });
    if (fault?.kind === 'cut-after') {
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(status, answerHeaders);
    if (fault?.kind === 'cut-response') outgoing.write(content.subarray(0, fault.after), () => outgoing.destroy());
    else outgoing.end(content);
  }
}

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Content is passed on in one piece; how it was cut before does not matter. */
function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name !== 'transfer-encoding' && name !== 'connection');
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function corrupted(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  const middle = Math.floor(copy.byteLength / 2);
  copy[middle] = (copy[middle] ?? 0) ^ 1;
  return copy;
}

function answer(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, headers).end(body);
}
