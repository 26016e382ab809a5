// SPDX-License-Identifier: Apache-2.0
import type { HttpMethod } from '@operator-parts/kube';
import type { Identity } from './identity.ts';

/** A request as every transport (in process, HTTPS) passes it to the server. Header names are in lower case. */
export interface ApiRequest {
  readonly method: HttpMethod;
  /** Absolute, escaped, with its query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | undefined;
  /** The user as the transport knows it. If undefined, the user is taken from the headers. */
  readonly identity: Identity | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** An answer. A stream ends when its request's signal is aborted. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | AsyncIterable<Uint8Array>;
}

/** The first value of a header. */
export function header(request: Pick<ApiRequest, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** A JSON answer. */
export function jsonResponse(status: number, body: string, headers: ApiResponse['headers'] = {}): ApiResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}
