// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { KubeError, type RequestSummary } from '../kube-error.ts';
import { responseError } from '../transport/response-error.ts';
import type { HttpMethod, Transport, TransportResponse } from '../transport/transport.ts';
import { describe, transportError } from '../transport/transport-error.ts';
import { readBody, readExcerpt } from './read-body.ts';
import { parseWarnings } from './warning.ts';

/** The context of all calls of one client. */
export interface CallContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly maxBodyBytes: number;
  readonly maxEventBytes: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly onWarning: ((warning: string, request: RequestSummary) => void) | undefined;
}

export interface Call {
  readonly method: HttpMethod;
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly streaming?: boolean;
  /** See `TransportRequest.repeatable`. */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** See `TransportRequest.fence`. */
  readonly fence?: (() => void) | undefined;
  /** Called whenever bytes of the answer arrive. */
  readonly onBytes?: (() => void) | undefined;
}

/** The maximum length of an error answer; the rest is dropped. */
const errorBodyLimit = 1 << 20;

/** Sends a request. Resolves only with a 2xx answer; everything else is a `KubeError`. */
export async function send(context: CallContext, call: Call): Promise<TransportResponse> {
  const request: RequestSummary = { method: call.method, path: call.path };
  try {
    call.signal?.throwIfAborted();
    const response = await context.transport.request({
      method: call.method,
      path: call.path,
      headers: {
        accept: 'application/json',
        ...context.headers,
        ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(call.signal ? { signal: call.signal } : {}),
      ...(call.streaming ? { streaming: true } : {}),
      ...(call.repeatable ? { repeatable: true } : {}),
      ...(call.fence ? { fence: call.fence } : {}),
    });
    warn(context, response, request);
    if (response.status >= 200 && response.status < 300) return response;
    const error = responseError(response.status, await readExcerpt(response.body, errorBodyLimit), request);
    throw response.attempts && response.attempts > 1 ? error.after(response.attempts) : error;
  } catch (error) {
    throw transportError(error, request, call.signal);
  }
}

/** Sends a request and parses the JSON object that answers it. */
export async function sendForObject(context: CallContext, call: Call): Promise<object> {
  const response = await send(context, call);
  const text = await bodyText(context, call, response);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badResponse(call, `with a body of ${text.length} characters that is not JSON`, cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badResponse(call, 'with JSON that is not an object');
  }
  return value;
}

/** Reads a body to its end. A lost connection is a `KubeError`. */
export async function bodyText(context: CallContext, call: Call, response: TransportResponse): Promise<string> {
  try {
    const { method, path } = call;
    return await readBody(response.body, context.maxBodyBytes, { method, path }, call.onBytes);
  } catch (error) {
    throw transportError(error, call, call.signal);
  }
}

/** An answer that violates the protocol. */
export function badResponse(call: RequestSummary, what: string, cause?: unknown): KubeError {
  return new KubeError('BadResponse', `${describe(call)} was answered ${what}`, {
    request: { method: call.method, path: call.path },
    ...(cause === undefined ? {} : { cause }),
  });
}

function warn(context: CallContext, response: TransportResponse, request: RequestSummary): void {
  const { warning: header } = response.headers;
  if (!header || !context.onWarning) return;
  for (const warning of parseWarnings(header)) context.onWarning(warning, request);
}
