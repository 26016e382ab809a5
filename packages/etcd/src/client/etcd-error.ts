// SPDX-License-Identifier: Apache-2.0

/**
 * Why a call to a member failed.
 *
 * The first group is etcd's own answer. The second is the client's: there was no valid answer.
 */
export type EtcdErrorCode =
  // leadership
  | 'NotLeader'
  | 'NoLeader'
  | 'LeaderChanged'
  | 'BadLeaderTransferee'
  // membership
  | 'Unhealthy'
  | 'NotEnoughStarted'
  | 'LearnerNotReady'
  | 'MemberNotLearner'
  | 'TooManyLearners'
  | 'MemberExists'
  | 'PeerUrlExists'
  | 'MemberNotFound'
  | 'BadMemberUrls'
  | 'NotSupportedForLearner'
  | 'ClusterIdMismatch'
  // the store
  | 'NoSpace'
  | 'Corrupt'
  | 'Compacted'
  | 'FutureRevision'
  | 'RequestTooLarge'
  | 'TooManyRequests'
  | 'LeaseNotFound'
  | 'LeaseExists'
  // authentication
  | 'PermissionDenied'
  | 'InvalidAuthToken'
  | 'LoginRequired'
  | 'LoginFailed'
  | 'AuthNotEnabled'
  | 'NameExists'
  | 'NameNotFound'
  // versions
  | 'Unimplemented'
  | 'NotCapable'
  | 'DowngradeInProgress'
  | 'NoDowngradeInProgress'
  | 'InvalidDowngradeTarget'
  // any other answer of the server
  | 'InvalidArgument'
  | 'ServerStopped'
  | 'Unknown'
  // not from the server, or not only
  | 'Timeout'
  | 'Unavailable'
  | 'TlsFailed'
  | 'Aborted'
  | 'BadResponse';

/** The call of an error. */
export interface CallSummary {
  /** `Cluster/MemberAdd`, or the path of an HTTP endpoint. */
  readonly method: string;
  /** `10.0.0.7:2379`. */
  readonly endpoint: string;
}

/**
 * The only error class of this package. Branch on `code`.
 *
 * `outcomeUnknown` is true if a changing call failed and it is unknown whether the change was made: read the state, and
 * never repeat the call blindly. It is false for reads, and for refusals before the server acts.
 */
export class EtcdError extends Error {
  readonly code: EtcdErrorCode;
  readonly call: CallSummary | undefined;
  readonly outcomeUnknown: boolean;

  constructor(
    code: EtcdErrorCode,
    message: string,
    details: { readonly call?: CallSummary; readonly outcomeUnknown?: boolean; readonly cause?: unknown } = {},
  ) {
    const { call } = details;
    const text = call ? `${call.method} on ${call.endpoint}: ${message}` : message;
    super(text, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'EtcdError';
    this.code = code;
    this.call = call;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
  }
}

/** True if `error` is an `EtcdError`, with one of these codes if any are given. */
export function isEtcdError(error: unknown, ...codes: readonly EtcdErrorCode[]): error is EtcdError {
  return error instanceof EtcdError && (codes.length === 0 || codes.includes(error.code));
}
