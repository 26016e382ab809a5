// SPDX-License-Identifier: Apache-2.0
import { withQuery } from '../client/query.ts';
import { readExcerpt } from '../client/read-body.ts';
import type { ObjectKey } from '../object.ts';
import { responseError } from '../transport/response-error.ts';
import type { Transport } from '../transport/transport.ts';
import { transportError } from '../transport/transport-error.ts';
import { podPath } from './pod-path.ts';

export interface LogOptions {
  /** Required if the pod has several containers. */
  readonly container?: string;
  /** Continues with new output until the container ends. @default false */
  readonly follow?: boolean;
  /** The log of the container before its last restart. @default false */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly limitBytes?: number;
  readonly signal?: AbortSignal;
}

const errorBodyLimit = 1 << 20;

/** The log of a container as bytes. While nothing is read, the server has to wait. */
export async function* podLogs(
  transport: Transport,
  pod: ObjectKey,
  options: LogOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const { signal, ...query } = options;
  const request = { method: 'GET', path: withQuery(podPath(pod, 'log'), query) } as const;
  try {
    const response = await transport.request({ ...request, streaming: true, ...(signal ? { signal } : {}) });
    if (response.status < 200 || response.status > 299) {
      throw responseError(response.status, await readExcerpt(response.body, errorBodyLimit), request);
    }
    yield* response.body;
  } catch (error) {
    throw transportError(error, request, signal);
  }
}

/**
 * The log of a container line by line, without the newlines. A line longer than `maxLineLength` characters is returned
 * in pieces, so that a program that never ends its line does not fill our memory.
 * @default 64 Ki characters
 */
export async function* podLogLines(
  transport: Transport,
  pod: ObjectKey,
  options: LogOptions & { readonly maxLineLength?: number } = {},
): AsyncGenerator<string, void, undefined> {
  const { maxLineLength = 65_536, ...rest } = options;
  const decoder = new TextDecoder();
  let pending = '';
  for await (const bytes of podLogs(transport, pod, rest)) {
    const lines = (pending + decoder.decode(bytes, { stream: true })).split('\n');
    pending = lines.pop() ?? '';
    yield* lines;
    while (pending.length > maxLineLength) {
      yield pending.slice(0, maxLineLength);
      pending = pending.slice(maxLineLength);
    }
  }
  if (pending) yield pending;
}
