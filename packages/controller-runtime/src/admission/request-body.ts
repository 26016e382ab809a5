// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import { WebhookError } from './webhook-error.ts';

/**
 * Reads a JSON body of at most `limit` bytes. If the Content-Length exceeds the limit, nothing is read.
 * @param onBytes called with the size of each chunk that is kept
 */
export async function readJson(
  request: IncomingMessage,
  limit: number,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\b/i.test(type))
    throw new WebhookError('BadRequest', `expected application/json, got ${type || 'nothing'}`);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit)
    throw new WebhookError('TooLarge', `the body has ${announced} bytes; at most ${limit} are allowed`);
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > limit) throw new WebhookError('TooLarge', `the body is longer than the allowed ${limit} bytes`);
      pieces.push(piece);
      onBytes(piece.length);
    }
  } catch (cause) {
    throw cause instanceof WebhookError
      ? cause
      : new WebhookError('Aborted', 'the connection was closed before the body was complete', { cause });
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown;
  } catch (cause) {
    throw new WebhookError('BadRequest', 'the body is not JSON', { cause });
  }
}
