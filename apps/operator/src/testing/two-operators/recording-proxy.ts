// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Gate, openGate, type RequestRecord } from './request-record.ts';

/** The server to which a proxy forwards requests. */
export interface ProxyTarget {
  readonly url: string;
  /** In PEM: the CA to trust, and the client certificate to use. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
}

export interface ProxyOptions {
  readonly to: RequestRecord['to'];
  readonly who: string;
  readonly target: ProxyTarget;
  /** @default any port of 127.0.0.1 */
  readonly listen?: { readonly host: string; readonly port: number };
  readonly record: (record: RequestRecord) => void;
  /** @default forwards everything */
  readonly gate?: Gate;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A proxy from one operator to an HTTP/1 server. Records every request that changes something once it has arrived completely. */
export class RecordingProxy {
  readonly #options: ProxyOptions;
  readonly #server: Server;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = createServer((incoming, outgoing) => {
      const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
      if (isRead) this.#read(incoming, outgoing);
      else this.#change(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async start(options: ProxyOptions): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(options);
    const { host, port } = options.listen ?? { host: '127.0.0.1', port: 0 };
    proxy.#server.listen(port, host);
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #read(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const upstream = this.#request(incoming);
    incoming.pipe(upstream);
    upstream.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    upstream.on('error', () => outgoing.destroy());
    incoming.on('error', () => upstream.destroy());
    outgoing.on('close', () => upstream.destroy());
  }

  async #change(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { to, who, record, gate = openGate } = this.#options;
    const body = await buffer(incoming);
    const entry: RequestRecord = {
      ...{ to, who, what: `${incoming.method} ${incoming.url}`, at: Date.now(), status: 0 },
    };
    record(entry);
    const answer = await gate(entry, () => this.#send(incoming, body, entry));
    if (!answer) {
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(answer.status, answer.headers);
    outgoing.end(answer.body);
  }

  async #send(incoming: IncomingMessage, body: Buffer, entry: RequestRecord): Promise<Answer> {
    const upstream = this.#request(incoming);
    upstream.end(body);
    const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
    entry.status = answer.statusCode ?? 0;
    return { status: entry.status, headers: answer.headers, body: await buffer(answer) };
  }

  #request({ method = '', url = '', headers }: IncomingMessage): ReturnType<typeof plainRequest> {
    const { target } = this.#options;
    const send = target.url.startsWith('https:') ? tlsRequest : plainRequest;
    return send(new URL(url, target.url), { method, headers, ...target.tls });
  }
}
