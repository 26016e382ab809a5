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

/** A completely received request to the store. */
export interface StoreRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface StoreAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Sends the body in pieces of this many bytes, with a pause after each piece. @default all at once */
  readonly trickle?: { readonly bytes: number; readonly everyMs: number };
}

/** Result of one request: an answer, a connection that is cut, or a connection without any answer. */
export type StoreFault = (
  asked: StoreRequest,
  pass: () => Promise<StoreAnswer>,
) => Promise<StoreAnswer | 'cut' | 'stall'>;

/** A proxy in front of a real store that changes requests and answers. */
export class RewritingProxy implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #upstream: number;
  readonly #agent = new Agent({ keepAlive: true });
  fault: StoreFault = (_asked, pass) => pass();

  private constructor(server: Server, port: number, upstream: number) {
    this.#server = server;
    this.port = port;
    this.#upstream = upstream;
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.#handle(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async start(upstream: number): Promise<RewritingProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return new RewritingProxy(server, address.port, upstream);
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  heal(): void {
    this.fault = (_asked, pass) => pass();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const asked = { method, url: new URL(url, this.endpoint), headers, body: await bodyOf(incoming) };
    const answer = await this.fault(asked, () => this.#pass(url, asked));
    if (answer === 'stall') return;
    if (answer === 'cut') outgoing.destroy();
    else await send(outgoing, answer, method === 'HEAD');
  }

  async #pass(path: string, { method, headers, body }: StoreRequest): Promise<StoreAnswer> {
    const upstream = request({ host: '127.0.0.1', port: this.#upstream, method, path, headers, agent: this.#agent });
    upstream.end(body);
    const [response] = (await once(upstream, 'response')) as [IncomingMessage];
    const kept = Object.entries(response.headers).filter(
      ([name]) => !['transfer-encoding', 'connection'].includes(name),
    );
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      body: await bodyOf(response),
    };
  }
}

async function send(outgoing: ServerResponse, answer: StoreAnswer, isHead: boolean): Promise<void> {
  const { status, headers, body, trickle } = answer;
  const length = isHead ? {} : { 'content-length': String(body.byteLength) };
  outgoing.writeHead(status, { ...headers, ...length });
  if (!trickle) {
    outgoing.end(body);
    return;
  }
  for (let at = 0; at < body.byteLength && !outgoing.destroyed; at += trickle.bytes) {
    outgoing.write(body.subarray(at, at + trickle.bytes));
    await new Promise((resolve) => setTimeout(resolve, trickle.everyMs).unref());
  }
  outgoing.end();
}

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
