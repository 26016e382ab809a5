// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '../kube-error.ts';
import type { ObjectKey } from '../object.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import type { Transport } from '../transport/transport.ts';
import { describe, transportError } from '../transport/transport-error.ts';
import { podPath } from './pod-path.ts';

/** SPDY/3.1 tunnelled in a WebSocket: API servers support this for port-forwarding since 1.30. */
export const portForwardProtocol = 'SPDY/3.1+portforward.k8s.io';

/** The headers that identify the two streams of one forwarded connection. */
export const portForwardHeaders = { streamType: 'streamtype', port: 'port', requestId: 'requestid' } as const;

/** A connection to a port of a pod. */
export interface ForwardedConnection {
  /**
   * Data from the pod. If it is not read, the pod has to wait. Throws a `KubeError` if the pod does not answer on the
   * port.
   */
  readonly incoming: AsyncIterable<Uint8Array>;
  /** Resolves when the bytes have been sent to the network. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends writing; the pod may still send. */
  end(): Promise<void>;
  close(): void;
}

/**
 * Connects to a port of a pod, through the API server. Each call has its own WebSocket, so that a slow connection does
 * not delay others. If nothing listens on the port, reading fails.
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
    // Streams end with the connection and report the reason.
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
    // The server sends the error before it resets the stream, so it has arrived by now.
    connection.close();
    const message = await complaint;
    if (!message) throw transportError(error, request, signal);
    throw new KubeError('ConnectionRefused', `${describe(request)}: ${message}`, { request, cause: error });
  } finally {
    connection.close();
  }
}

const longestComplaint = 4096;

/** The server's message on the error stream about the failure. */
async function readAll(stream: SpdyStream): Promise<string> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of stream.incoming) pieces.push(piece);
  } catch {
    // The stream ends with an error when the connection does; the bytes received before are the message.
  }
  return Buffer.concat(pieces).subarray(0, longestComplaint).toString('utf8');
}
