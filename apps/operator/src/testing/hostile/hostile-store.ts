// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** How a bucket of the store behaves. */
export type HostileBucket = 'trickle' | 'endless' | 'dead';

/**
 * A store that speaks S3 and blocks its clients, depending on the bucket. `trickle` is empty, and answers writes only with a space
 * character now and then; listings of `endless` never end; `dead` accepts connections and never answers.
 */
export class HostileStore implements AsyncDisposable {
  readonly endpoint: string;
  readonly #server: Server;
  readonly #open = new Map<string, number>();
  #pages = 0;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${port}`;
    server.on('request', (asked: IncomingMessage, answer: ServerResponse) => this.#answer(asked, answer));
  }

  static async start(): Promise<HostileStore> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return new HostileStore(server, address.port);
  }

  /** How many requests are waiting for this bucket now. */
  open(bucket: string): number {
    return this.#open.get(bucket) ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(asked: IncomingMessage, answer: ServerResponse): void {
    asked.resume();
    const url = new URL(asked.url ?? '', this.endpoint);
    const [, bucket = ''] = url.pathname.split('/');
    if (bucket === 'trickle' && (asked.method === 'GET' || asked.method === 'HEAD')) {
      nothingYet(answer, url.searchParams);
      return;
    }
    this.#open.set(bucket, this.open(bucket) + 1);
    answer.on('close', () => this.#open.set(bucket, this.open(bucket) - 1));
    if (bucket === 'trickle') this.#trickle(answer);
    if (bucket === 'endless') this.#page(answer, url.searchParams.get('prefix') ?? '');
  }

  #trickle(answer: ServerResponse): void {
    answer.writeHead(200, { 'content-type': 'application/xml' });
    const blanks = setInterval(() => answer.write(' '), 500);
    answer.on('close', () => clearInterval(blanks));
  }

  #page(answer: ServerResponse, prefix: string): void {
    const key = `${prefix}${String(++this.#pages).padStart(12, '0')}`;
    const entry = `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`;
    const text =
      '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>true</IsTruncated>' +
      `<NextContinuationToken>${key}</NextContinuationToken>${entry}</ListBucketResult>`;
    setTimeout(() => answer.writeHead(200, { 'content-type': 'application/xml' }).end(text), 500);
  }
}

function nothingYet(answer: ServerResponse, asked: URLSearchParams): void {
  const head = { 'content-type': 'application/xml' };
  if (asked.has('list-type')) answer.writeHead(200, head).end('<ListBucketResult></ListBucketResult>');
  else if (asked.has('uploads'))
    answer.writeHead(200, head).end('<ListMultipartUploadsResult></ListMultipartUploadsResult>');
  else answer.writeHead(404, head).end('<Error><Code>NoSuchKey</Code><Message>not here</Message></Error>');
}
