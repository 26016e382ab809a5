// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import { fieldsOf, isCount, type JsonFields, parseFields } from '../../api/json-fields.ts';
import type { Measured } from './measure.ts';

/**
 * The messages between the operator and the agent, on one connection. First the snapshot is transferred (`snapshot`: the operator sends it,
 * `fetch`: the agent reads it from the store). Then the agent reports what came, the operator judges it, and sends `keep`. Before `keep`
 * the data does not have its final name, and it is dropped if the connection closes.
 */
export const requests = {
  snapshot: { method: 'PUT', path: '/v1/snapshot' },
  fetch: { method: 'POST', path: '/v1/fetch' },
  keep: { method: 'POST', path: '/v1/keep' },
} as const;

/** A signed URL for reading one object. Anyone who has it can read the object, so it is sent only over this channel and never logged. */
export interface FetchOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
  /** CA certificates that are trusted in addition to the root certificates of the agent's Node. @default no additional certificates */
  readonly ca?: string | undefined;
}

/** The agent reports its progress while it reads, one line each time. The last line is the result. */
export type FetchLine =
  | { readonly received: number }
  | { readonly measured: Measured }
  /** Why the agent cannot read the object itself. Contains nothing of the order except its host. */
  | { readonly failed: string };

export interface KeepOrder {
  readonly sha256: string;
}

/** Larger than any message except the snapshot itself. */
const messageLimit = 256 * 1024;

/** Reads a message; rejects if the message is longer than the limit. */
export async function textOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of message as AsyncIterable<Buffer>) {
    bytes += piece.byteLength;
    if (bytes > messageLimit)
      throw new Error(`the other end of the snapshot transfer sent a message longer than ${messageLimit} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8').trim();
}

/** Reads a message line by line, as the lines arrive. */
export async function* linesOf(message: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of message as AsyncIterable<Buffer>) {
    const lines = (rest + piece.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > messageLimit)
      throw new Error(`the restore agent in the new member's pod sent a line longer than ${messageLimit} bytes`);
    yield* lines;
  }
}

/** Undefined for any other text. Operator and agent usually run from the same image, but the code does not rely on that. */
export function readMeasured(text: string): Measured | undefined {
  return measuredOf(parseFields(text));
}

export function readFetchLine(text: string): FetchLine | undefined {
  const { received, measured, failed } = parseFields(text);
  if (isCount(received)) return { received };
  if (typeof failed === 'string') return { failed };
  const found = measuredOf(fieldsOf(measured));
  return found && { measured: found };
}

export function readFetchOrder(text: string): FetchOrder | undefined {
  const { url, headers, bytes, ca } = parseFields(text);
  const named = Object.entries(fieldsOf(headers));
  const given = named.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
  if (typeof url !== 'string' || !isCount(bytes) || given.length !== named.length) return undefined;
  return { url, headers: Object.fromEntries(given), bytes, ...(typeof ca === 'string' && { ca }) };
}

export function readKeepOrder(text: string): KeepOrder | undefined {
  const { sha256 } = parseFields(text);
  return isHash(sha256) ? { sha256 } : undefined;
}

function measuredOf({ bytes, sha256, embedded }: JsonFields): Measured | undefined {
  const { sha256: own, says } = fieldsOf(embedded);
  if (!isCount(bytes) || !isHash(sha256) || !isHash(own) || typeof says !== 'string') return undefined;
  return { bytes, sha256, embedded: { sha256: own, says } };
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}
