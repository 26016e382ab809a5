// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlobError } from '../blob-error.ts';
import type { GuardedAgents } from './guarded-agents.ts';

/** One request. */
export interface HttpCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent one after the other, none of them copied. */
  readonly body?: readonly Uint8Array[];
  readonly signal: AbortSignal;
}

/** Its answer, whatever the status. Redirects are not followed. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Must be read to its end, or destroyed. */
  readonly body: IncomingMessage;
}

/** Makes one request over the store's connections. Rejects only if no answer came. */
export function httpCall(agents: GuardedAgents, call: HttpCall): Promise<HttpAnswer> {
  const { method, url, signal, body = [] } = call;
  const length = body.reduce((sum, bytes) => sum + bytes.byteLength, 0);
  const headers = { ...call.headers, ...(method === 'PUT' || method === 'POST' ? { 'content-length': length } : {}) };
  return new Promise((resolve, reject) => {
    const options = { method, headers, signal };
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: agents.https })
        : httpRequest(url, { ...options, agent: agents.http });
    request.once('error', reject);
    request.once('response', (answer) => {
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
    });
    for (const bytes of body) request.write(bytes);
    request.end();
  });
}

/** The answer as text. Answers that are read like this are short; a longer one than `limit` is refused. */
export async function textOf({ body }: HttpAnswer, limit = 16 * 1024 * 1024): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > limit) throw new BlobError('Unknown', `the store sent an answer of more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
