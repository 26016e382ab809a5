// SPDX-License-Identifier: Apache-2.0

/** The API server's error object: `kind: Status`. */
export interface Status {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly continue?: string; readonly resourceVersion?: string };
  readonly status?: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  };
}

/**
 * Why a call failed. The first group is the server's `reason`. The second is from the client: with `Aborted`,
 * `Timeout`, `ConnectionLost` the outcome of a write is unknown, so read the object.
 */
export type KubeErrorCode =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'Expired'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'UnsupportedMediaType'
  | 'RequestEntityTooLarge'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'ServerTimeout'
  | 'Unknown'
  // not from the server
  | 'ConnectionRefused'
  | 'ConnectionLost'
  | 'Timeout'
  | 'Aborted'
  | 'WatchIdle'
  | 'BadResponse'
  | 'Configuration';

/** The request of an error. */
export interface RequestSummary {
  readonly method: string;
  readonly path: string;
}

/** The only error class of this package. Branch on `code`; `status` is the server's answer. */
export class KubeError extends Error {
  readonly code: KubeErrorCode;
  readonly httpStatus: number | undefined;
  readonly status: Status | undefined;
  readonly request: RequestSummary | undefined;
  /** How often the request was sent; 1 unless the client retries. */
  readonly attempts: number;

  constructor(
    code: KubeErrorCode,
    message: string,
    details: {
      readonly httpStatus?: number;
      readonly status?: Status;
      readonly request?: RequestSummary;
      readonly attempts?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'KubeError';
    this.code = code;
    this.httpStatus = details.httpStatus;
    this.status = details.status;
    this.request = details.request;
    this.attempts = details.attempts ?? 1;
  }

  /** The same error, for a request that was sent several times. */
  after(attempts: number): KubeError {
    const { httpStatus, status, request, cause } = this;
    return new KubeError(this.code, `${this.message} (sent ${attempts} times)`, {
      ...(httpStatus === undefined ? {} : { httpStatus }),
      ...(status === undefined ? {} : { status }),
      ...(request === undefined ? {} : { request }),
      ...(cause === undefined ? {} : { cause }),
      attempts,
    });
  }
}

/** True if `error` is a `KubeError` with one of these codes. */
export function isKubeError(error: unknown, ...codes: readonly KubeErrorCode[]): error is KubeError {
  return error instanceof KubeError && (codes.length === 0 || codes.includes(error.code));
}
