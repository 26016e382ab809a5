// SPDX-License-Identifier: Apache-2.0
import type { Status, TransportResponse } from '@operator-parts/kube';
import { expect } from 'vitest';

/** A server's complete answer. `T` is the expected type, which is not checked. */
export interface Answer<T = unknown> {
  readonly code: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed if it is JSON, else the text. */
  readonly body: T;
}

/** The specific part of an error; the rest of a Status is always the same. */
export interface Refusal {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: unknown;
}

/** The refusal of a request that cannot be read. */
export const badRequest = (message: string): Refusal => ({ code: 400, reason: 'BadRequest', message });

/** Reads an answer to its end. */
export async function readAnswer<T>(response: TransportResponse): Promise<Answer<T>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  const isJson = /[/+]json\b/.test(response.headers['content-type'] ?? '');
  return {
    code: response.status,
    headers: response.headers,
    body: (isJson && text !== '' ? JSON.parse(text) : text) as T,
  };
}

/** The error in an answer; fails if it is a success or an incomplete Status. */
export function refusalOf({ code, body }: Answer): Refusal {
  const { kind, apiVersion, metadata, status, ...rest } = body as Status;
  if (kind !== 'Status') throw new Error(`not refused but answered with ${code}: ${JSON.stringify(body)}`);
  expect({ apiVersion, metadata, status, code }).toEqual({
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: rest.code,
  });
  return rest as Refusal;
}

/** The body of a successful answer; otherwise fails with the server's message. */
export function successOf<T>({ code, body }: Answer<T>): T {
  if (code < 200 || code > 299) throw new Error(`refused with ${code}: ${JSON.stringify(body)}`);
  return body;
}
