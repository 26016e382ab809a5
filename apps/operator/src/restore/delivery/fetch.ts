// SPDX-License-Identifier: Apache-2.0
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { rootCertificates } from 'node:tls';
import { type Clock, systemClock } from '@operator-parts/ports';
import type { FetchOrder } from './protocol.ts';

/**
 * Why the agent cannot read a snapshot from the store itself.
 *
 * - `Unreachable`: no connection, or a connection that broke, stopped sending or is too slow.
 * - `Refused`: the store answered with something other than the object.
 */
export type FetchErrorCode = 'Unreachable' | 'Refused';

/** The message contains no part of the request that the operator sent: anyone who has the signed URL in it can read the object. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly code: FetchErrorCode;

  constructor(code: FetchErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface FetchOptions {
  readonly signal: AbortSignal;
  /**
   * How long the store may take to answer, in milliseconds. During the transfer it may pause six times as long. The default is short,
   * because the operator may have a better connection. @default 10000
   */
  readonly patience?: number;
  /** @default systemClock */
  readonly clock?: Clock;
}

/** A store that sends less than this counts as one that sends nothing. The operator has the same limit for its own reads. */
const slowestBytesPerSecond = 128 * 1024;

/**
 * Reads a snapshot from the store with the signed URL of the order: one GET, no redirects, certificates checked. Ends without an error only
 * if exactly the ordered number of bytes has come.
 */
export async function* fetchSnapshot(order: FetchOrder, options: FetchOptions): AsyncGenerator<Uint8Array> {
  const { patience = usualPatience, clock = systemClock } = options;
  const response = await open(order, options);
  const { statusCode, headers } = response;
  const problem =
    statusCode === 200
      ? whyNotWhole(headers['content-length'], order.bytes)
      : `the backup store answered with HTTP status ${statusCode}`;
  if (problem !== undefined) {
    response.destroy();
    throw new FetchError('Refused', problem);
  }
  try {
    // Waiting uses up a time budget, and received bytes refill it. Time spent on the disk does not count. A single wait has its own limit.
    let left = onTheWay(patience);
    let asked = clock.monotonic();
    for await (const piece of response as AsyncIterable<Buffer>) {
      const earned = (piece.byteLength * 1000) / slowestBytesPerSecond;
      left = Math.min(onTheWay(patience), left - (clock.monotonic() - asked) + earned);
      if (left < 0) throw new FetchError('Unreachable', 'the backup store is too slow: it sends less than 128 KiB/s');
      yield piece;
      letGo(piece);
      asked = clock.monotonic();
    }
  } catch (error) {
    throw unreachable(error);
  }
}

function whyNotWhole(announced: string | undefined, bytes: number): string | undefined {
  return announced === String(bytes)
    ? undefined
    : `the object in the backup store has ${announced ?? 'an unknown number of'} bytes instead of ${bytes}`;
}

const usualPatience = 10_000;

/** How long the store may send nothing after it has answered. */
function onTheWay(patience: number): number {
  return 6 * patience;
}

async function open(order: FetchOrder, { signal, patience = usualPatience }: FetchOptions): Promise<IncomingMessage> {
  try {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const url = new URL(order.url);
      // The timeout begins before there is a connection, so it also covers a server that does not answer.
      const options = { headers: { ...order.headers }, agent: false, timeout: patience, signal } as const;
      const call =
        url.protocol === 'https:' ? tlsRequest(url, { ...options, ...trust(order.ca) }) : plainRequest(url, options);
      call.once('timeout', () => call.destroy(new FetchError('Unreachable', 'the backup store does not respond')));
      call.once('response', (response) => {
        // A slow disk makes the store wait; that is not a fault of the store.
        response.socket.setTimeout(onTheWay(patience));
        resolve(response);
      });
      call.on('error', reject);
      call.end();
    });
  } catch (error) {
    throw unreachable(error);
  }
}

/**
 * Node frees its read buffers only at the next garbage collection, which comes tens of MB later. A piece is no longer used once the next
 * piece is requested. If the piece fills its buffer alone, the buffer is freed at once. This saves memory and garbage collection.
 */
function letGo({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Adds the CA to the root certificates of Node. */
function trust(ca: string | undefined): { readonly ca?: string[] } {
  return ca === undefined ? {} : { ca: [...rootCertificates, ca] };
}

/** Reports only the kind of the error: messages of other libraries may contain the signed URL. */
function unreachable(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'connection lost';
  return new FetchError('Unreachable', `the backup store cannot be read: ${code}`);
}
