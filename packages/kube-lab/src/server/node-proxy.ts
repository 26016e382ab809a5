// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';

/** The query of `pods/log`. */
export interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

/** The query of `pods/exec` and `pods/attach`. `command` is empty for attach. */
export interface ExecOptions {
  readonly container: string;
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** The client's side of an exec. Writing waits until the client has read. */
export interface ExecStreams {
  /** Ends when the client closes its standard input. Empty if the client requested none. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Changed sizes of the client's terminal. */
  readonly resize: AsyncIterable<{ readonly width: number; readonly height: number }>;
  stdout(bytes: Uint8Array): Promise<void>;
  stderr(bytes: Uint8Array): Promise<void>;
}

/** A connection to a port of a pod. */
export interface ByteChannel {
  /** Data from the pod; ends when it closes. */
  readonly incoming: AsyncIterable<Uint8Array>;
  /** Resolves when the bytes are forwarded. */
  write(bytes: Uint8Array): Promise<void>;
  /** Half-close: nothing more is written. */
  end(): void;
  /** Drops the connection. */
  destroy(): void;
}

/**
 * What the API server requests from the node of a pod: the kubelet's part of logs, exec, attach and port-forward. `pod`
 * is the stored Pod. The API server has checked that the pod is bound and that its spec contains the container.
 *
 * Errors are thrown as `Error`. If an error has a numeric `code` (an HTTP status), the client gets that status, else
 * 500.
 */
export interface NodeProxy {
  /** Resolves when the stream can begin; ends after the last line unless `follow`. */
  log(pod: KubeObject, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Resolves with the program's exit code; when `signal` is aborted, the process is ended. */
  exec(pod: KubeObject, options: ExecOptions, streams: ExecStreams, signal: AbortSignal): Promise<number>;
  /** Like `exec`, for the container's main process. */
  attach(pod: KubeObject, options: ExecOptions, streams: ExecStreams, signal: AbortSignal): Promise<number>;
  /** Connects to a port on the pod's loopback. */
  dial(pod: KubeObject, port: number, signal: AbortSignal): Promise<ByteChannel>;
}
