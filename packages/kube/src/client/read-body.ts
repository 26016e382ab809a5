// SPDX-License-Identifier: Apache-2.0
import { KubeError, type RequestSummary } from '../kube-error.ts';
import { describe } from '../transport/transport-error.ts';

/** Reads a body as text. More than `limit` bytes is an error of code `BadResponse`, so memory is bounded. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  request: RequestSummary,
  onBytes?: () => void,
): Promise<string> {
  // Decoded while reading: the bytes of a large answer are not kept in addition to its text.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  let size = 0;
  for await (const piece of body) {
    onBytes?.();
    size += piece.length;
    if (size > limit) {
      const advice = 'list in pages with `limit`, or raise maxBodyBytes';
      throw new KubeError('BadResponse', `${describe(request)} was answered with more than ${limit} bytes; ${advice}`, {
        request,
      });
    }
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** Reads at most `limit` bytes and drops the rest, for error bodies. */
export async function readExcerpt(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size >= limit) break;
  }
  return Buffer.concat(pieces).subarray(0, limit).toString('utf8');
}
