// SPDX-License-Identifier: Apache-2.0
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';

/** The answer of a scripted transport: a value to send as JSON, a whole response, or an error to throw. */
export type Script = (request: TransportRequest) => TransportResponse | Promise<TransportResponse>;

/** A transport that records requests and answers from a script, for tests of the layers above. */
export function scriptedTransport(script: Script): Transport & { readonly requests: TransportRequest[] } {
  const requests: TransportRequest[] = [];
  return {
    requests,
    request: async (request) => {
      requests.push(request);
      return script(request);
    },
    connect: () => Promise.reject(new Error('no channels here')),
    close: () => Promise.resolve(),
  };
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): TransportResponse {
  return text(JSON.stringify(value), status, headers);
}

export function text(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): TransportResponse {
  return { status, headers, body: pieces(Buffer.from(body)) };
}

/** A body in the given pieces. */
export async function* pieces(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* parts;
}

/** A body that sends `parts` and then nothing until `signal` is aborted. */
export async function* stallAfter(
  signal: AbortSignal | undefined,
  ...parts: readonly Uint8Array[]
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* parts;
  await new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
