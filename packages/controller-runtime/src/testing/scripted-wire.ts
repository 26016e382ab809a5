// SPDX-License-Identifier: Apache-2.0
import type { Transport, TransportRequest, TransportResponse } from '@operator-parts/kube';

/** Answers one request with raw bytes. `undefined` passes it to the next one. */
export type WireScript = (request: TransportRequest, url: URL) => TransportResponse | undefined;

/** A transport whose answers a test writes byte by byte: the bytes of real servers and networks, below the client. */
export class ScriptedWire implements Transport {
  readonly requests: string[] = [];
  readonly #script: WireScript;

  constructor(script: WireScript) {
    this.#script = script;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(`${request.method} ${request.path}`);
    const answer = this.#script(request, new URL(request.path, 'http://server'));
    return (
      answer ?? answerOf(404, [JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 })])
    );
  }

  connect(): Promise<never> {
    return Promise.reject(new Error('no channels in this script'));
  }

  async close(): Promise<void> {
    // No data.
  }
}

export function answerOf(
  status: number,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): TransportResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: bytesOf(pieces) };
}

/** The pieces, then nothing until the request is aborted: an open watch. */
export async function* thenStall(
  signal: AbortSignal | undefined,
  pieces: Iterable<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  yield* pieces;
  await new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function* bytesOf(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}

/** One line of a watch. */
export function frame(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** The line that ends a streaming list. */
export function listEnd(resourceVersion: string): string {
  return frame('BOOKMARK', { metadata: { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } } });
}
