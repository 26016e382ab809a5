// SPDX-License-Identifier: Apache-2.0
import { Agent, type RequestOptions, request as send } from 'node:https';
import type { Transport, TransportRequest, TransportResponse } from '@operator-parts/kube';

/** The address and credentials for a server. */
export interface HttpsTarget {
  readonly url: string;
  /** The only trusted CA. */
  readonly ca: string;
  readonly token?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/**
 * A minimal transport: no retries, no compression, only credentials are added. Separate from the product's, so that the
 * suite tests only the server.
 */
export function httpsTransport({ url, ca, token, certificate }: HttpsTarget): Transport {
  const agent = new Agent({ keepAlive: true, ca, ...certificate });
  const credentials = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    request: (request) => {
      const options: RequestOptions = {
        agent,
        method: request.method,
        headers: { ...credentials, ...headersOf(request), ...lengthOf(request.body) },
        ...(request.signal && { signal: request.signal }),
      };
      return answerTo(new URL(request.path, url), options, request.body);
    },
    connect: () => Promise.reject(new Error('this transport has no channels')),
    close: () => {
      agent.destroy();
      return Promise.resolve();
    },
  };
}

/** Node sends the body of a DELETE correctly only with a length. */
function lengthOf(body: string | Uint8Array | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

function headersOf({ headers = {} }: TransportRequest): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}

function answerTo(
  url: URL,
  options: RequestOptions,
  body: string | Uint8Array | undefined,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const request = send(url, options, (response) => {
      const headers = Object.entries(response.headers).map(([name, value = '']) => [
        name,
        typeof value === 'string' ? value : value.join(', '),
      ]);
      resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body: response });
    });
    request.on('error', reject);
    request.end(body);
  });
}
