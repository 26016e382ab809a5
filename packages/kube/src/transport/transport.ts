// SPDX-License-Identifier: Apache-2.0

/** HTTP methods the Kubernetes API uses. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

/** One request to an API server. */
export interface TransportRequest {
  readonly method: HttpMethod;
  /** Absolute path with its query, already escaped: `/api/v1/namespaces/default/pods?limit=500`. */
  readonly path: string;
  /** A header with several values (such as `Impersonate-Group`) is sent as several lines, never joined. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** Ends the request, and the reading of its body, at once. */
  readonly signal?: AbortSignal;
  /**
   * True for watches and followed logs: the answer may be silent for minutes, so it gets a connection of its own and no
   * time limit between two pieces of its body. @default false
   */
  readonly streaming?: boolean;
  /**
   * True for a write that carries a precondition (a resourceVersion or UID), so that sending it twice cannot do its work
   * twice. Reads need no mark. Says to layers that repeat requests what they may repeat. @default false
   */
  readonly repeatable?: boolean;
  /**
   * Asked each time the request leaves, as late as possible: a transport that has requests wait asks after the wait. If it throws,
   * nothing is sent and the request fails with code `Aborted`. @default none
   */
  readonly fence?: () => void;
}

/** The answer to a request. An HTTP error status is an answer, not an exception. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body as it arrives. Must be read to its end, or its iterator returned (leaving a `for await` does that), to give
   * the connection back. Pieces break anywhere. A connection lost midway makes the iteration throw.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** How often the request was sent, where a layer repeats requests. @default 1 */
  readonly attempts?: number;
}

/** A request to open a WebSocket: exec, attach, port-forward. */
export interface ChannelRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Subprotocols in order of preference, such as `v5.channel.k8s.io`. */
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal;
}

/** An open WebSocket. */
export interface MessageChannel {
  /** The subprotocol the server chose. */
  readonly protocol: string;
  /** Resolves when the message has been handed to the network, so that awaiting it gives back-pressure. */
  send(message: Uint8Array): Promise<void>;
  /** Incoming binary messages. Not reading them stops the sender. Ends when the peer closes. */
  readonly messages: AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * The way to one API server. The client, and through it everything above, talks to this interface only: over HTTPS in
 * production, straight into kube-lab without sockets in tests.
 *
 * Guarantees: nothing is retried here; a rejected promise means that the outcome of the request is unknown unless the error
 * says otherwise.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  connect(request: ChannelRequest): Promise<MessageChannel>;
  /** Closes all connections; requests under way are aborted. */
  close(): Promise<void>;
}
