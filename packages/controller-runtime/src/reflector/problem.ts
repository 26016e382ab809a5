// SPDX-License-Identifier: Apache-2.0
import { isKubeError, type KubeError, type KubeErrorCode } from '@operator-parts/kube';

/**
 * What can go wrong while listing and watching, by how it is handled.
 *
 * | kind | what happened | what follows |
 * | --- | --- | --- |
 * | `expired` | the version or the page token is too old (410, as a status or in the stream) | a new list |
 * | `missing` | the kind does not exist (404): its CRD is not installed | check again every few seconds |
 * | `unsupported` | the server has no streaming lists | paged lists from now on |
 * | `truncated` | a streaming list ended before its end marker | retry, then paged lists |
 * | `older` | the server shows older data than was seen before | a new list; accepted when confirmed, refused until then |
 * | `corrupt` | a frame could not be parsed | the watch continues from the last good version, on a new connection |
 * | `idle` | nothing arrived within the idle limit: a dead connection | the same |
 * | `denied` | 401 or 403 | retry; rights may be granted later |
 * | `unreachable` | no connection, or it broke, or the server is overloaded or failing | retry |
 * | `other` | anything else | retry |
 */
export type ProblemKind =
  | 'expired'
  | 'missing'
  | 'unsupported'
  | 'truncated'
  | 'older'
  | 'corrupt'
  | 'idle'
  | 'denied'
  | 'unreachable'
  | 'other';

export interface Problem {
  readonly kind: ProblemKind;
  readonly error: Error;
  /** The pause the server asked for, in milliseconds. */
  readonly retryAfter?: number;
}

const kinds: Partial<Record<KubeErrorCode, ProblemKind>> = {
  Gone: 'expired',
  Expired: 'expired',
  NotFound: 'missing',
  Unauthorized: 'denied',
  Forbidden: 'denied',
  BadResponse: 'corrupt',
  WatchIdle: 'idle',
  ConnectionRefused: 'unreachable',
  ConnectionLost: 'unreachable',
  Timeout: 'unreachable',
  ServerTimeout: 'unreachable',
  ServiceUnavailable: 'unreachable',
  InternalError: 'unreachable',
  TooManyRequests: 'unreachable',
};

/** A problem that the reflector itself finds in well-formed answers. */
export class ReflectorFault extends Error {
  readonly code: 'truncated' | 'older' | 'corrupt';

  constructor(code: ReflectorFault['code'], message: string) {
    super(message);
    this.name = 'ReflectorFault';
    this.code = code;
  }
}

/** Codes with which servers refuse the parameters of a streaming list. */
const refusals: readonly KubeErrorCode[] = ['Invalid', 'BadRequest', 'MethodNotAllowed', 'NotAcceptable'];

/** Classifies an error by how it is handled. `streaming`: the error belongs to a streaming list that had not ended. */
export function problemOf(thrown: unknown, streaming = false): Problem {
  const error =
    thrown instanceof Error ? thrown : new Error(`a value that is not an Error was thrown: ${String(thrown)}`);
  if (error instanceof ReflectorFault) return { kind: error.code, error };
  if (!isKubeError(error)) return { kind: 'other', error };
  if (streaming && isKubeError(error, ...refusals)) return { kind: 'unsupported', error };
  return { kind: kinds[error.code] ?? 'other', error, ...retryAfter(error) };
}

function retryAfter(error: KubeError): { readonly retryAfter?: number } {
  const seconds = error.status?.details?.retryAfterSeconds;
  return seconds === undefined ? {} : { retryAfter: seconds * 1000 };
}
