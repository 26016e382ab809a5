// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { ignoreErrors } from '../call/ignore-errors.ts';
import { capped, longestAnswer, longestFault } from './capped.ts';
import type { GuardedAgents } from './guarded-agents.ts';

/** One request. */
export interface HttpCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in order, without copying. */
  readonly body?: readonly Uint8Array[];
  readonly signal: AbortSignal;
}

/** The answer with any status. Redirects are not followed. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Must be read to its end, or destroyed. */
  readonly body: IncomingMessage;
}

/** Makes one request over the store's connections. Rejects only without an answer. */
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
    // Also handles later errors: an unhandled error would end the process.
    request.on('error', reject);
    request.once('response', (answer) => {
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: ignoreErrors(answer) });
    });
    for (const bytes of body) request.write(bytes);
    request.end();
  });
}

/** The answer as text: complete, or the first part of an error. */
export async function textOf({ body, status }: HttpAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  const limits = status >= 400 ? { keep: longestFault } : { refuse: longestAnswer };
  for await (const chunk of capped(body as AsyncIterable<Buffer>, limits)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
