// SPDX-License-Identifier: Apache-2.0

/** HTTP methods of the Kubernetes API. */
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
   * True for watches and followed logs: the answer may pause for minutes, so it gets its own connection and no timeout
   * between two pieces of its body.
   * @default false
   */
  readonly streaming?: boolean;
  /**
   * True for a write with a precondition (a resourceVersion or UID), so that it takes effect at most once even if it is
   * sent twice. Only such writes are retried; reads always are.
   * @default false
   */
  readonly repeatable?: boolean;
  /**
   * Called each time the request is sent, as late as possible: after any wait for a free connection. If it throws,
   * nothing is sent and the request fails with code `Aborted`.
   * @default none
   */
  readonly fence?: () => void;
}

/** The answer to a request. An HTTP error status is an answer, not an exception. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body as it arrives. Read it to its end, or return its iterator (leaving a `for await` does that), to free the
   * connection. Pieces have any size. A lost connection makes the iteration throw.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** How often the request was sent, if a layer retries. @default 1 */
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
  /** Resolves when the message has been sent to the network, so that awaiting it gives back-pressure. */
  send(message: Uint8Array): Promise<void>;
  /** Incoming binary messages. If they are not read, the sender has to wait. Ends when the peer closes. */
  readonly messages: AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * The transport to one API server. The client, and all code above, uses only this interface: over HTTPS in production,
 * directly into kube-lab without sockets in tests.
 *
 * Guarantees: no retries here; after a rejected promise the outcome of the request is unknown unless the error says
 * otherwise.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  connect(request: ChannelRequest): Promise<MessageChannel>;
  /** Closes all connections; running requests are aborted. */
  close(): Promise<void>;
}
