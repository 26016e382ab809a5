// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '../kube-error.ts';
import type { ObjectKey } from '../object.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import type { Transport } from '../transport/transport.ts';
import { describe, transportError } from '../transport/transport-error.ts';
import { podPath } from './pod-path.ts';

/** SPDY/3.1, tunnelled in a WebSocket: what API servers offer for port-forwarding since 1.30. */
export const portForwardProtocol = 'SPDY/3.1+portforward.k8s.io';

/** The headers by which the two streams of one forwarded connection are told apart. */
export const portForwardHeaders = { streamType: 'streamtype', port: 'port', requestId: 'requestid' } as const;

/** A connection to a port of a pod. */
export interface ForwardedConnection {
  /** What the pod sends. Not reading it stops the pod. Throws a `KubeError` if the pod does not answer on the port. */
  readonly incoming: AsyncIterable<Uint8Array>;
  /** Resolves when the bytes have been handed to the network. */
  write(bytes: Uint8Array): Promise<void>;
  /** Says that nothing more will be written; the pod may still send. */
  end(): Promise<void>;
  close(): void;
}

/**
 * Connects to a port of a pod, through the API server. Each call has a WebSocket of its own, so that a slow connection holds
 * up no other. That nobody listens on the port shows when reading.
 */
export async function portForward(
  transport: Transport,
  pod: ObjectKey,
  port: number,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ForwardedConnection> {
  const request = { method: 'GET', path: `${podPath(pod, 'portforward')}?ports=${port}` };
  const { signal } = options;
  try {
    const channel = await transport.connect({
      path: request.path,
      protocols: [portForwardProtocol],
      ...(signal ? { signal } : {}),
    });
    const connection = new SpdyConnection({ link: channel, role: 'client' });
    // Streams end with the connection and tell their users why.
    connection.run().catch(() => undefined);
    return await open(connection, port, request, signal);
  } catch (error) {
    throw transportError(error, request, signal);
  }
}

interface Request {
  readonly method: string;
  readonly path: string;
}

async function open(
  connection: SpdyConnection,
  port: number,
  request: Request,
  signal: AbortSignal | undefined,
): Promise<ForwardedConnection> {
  const headers = (streamType: string) => ({
    [portForwardHeaders.streamType]: streamType,
    [portForwardHeaders.port]: String(port),
    [portForwardHeaders.requestId]: '0',
  });
  const errors = await connection.open(headers('error'));
  await errors.end();
  const data = await connection.open(headers('data'));
  const complaint = readAll(errors);
  const failing = (error: unknown) => {
    throw transportError(error, request, signal);
  };
  return {
    incoming: incoming(connection, data, complaint, request, signal),
    write: (bytes) => data.write(bytes).catch(failing),
    end: () => data.end().catch(failing),
    close: () => connection.close(),
  };
}

async function* incoming(
  connection: SpdyConnection,
  data: SpdyStream,
  complaint: Promise<string>,
  request: Request,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* data.incoming;
  } catch (error) {
    // The server complains before it resets the stream, so that the complaint is here by now.
    connection.close();
    const message = await complaint;
    if (!message) throw transportError(error, request, signal);
    throw new KubeError('ConnectionRefused', `${describe(request)}: ${message}`, { request, cause: error });
  } finally {
    connection.close();
  }
}

const longestComplaint = 4096;

/** What the server says on the error stream about why it has given up. */
async function readAll(stream: SpdyStream): Promise<string> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of stream.incoming) pieces.push(piece);
  } catch {
    // It ends with the connection; what was said before counts.
  }
  return Buffer.concat(pieces).subarray(0, longestComplaint).toString('utf8');
}
