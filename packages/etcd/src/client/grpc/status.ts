// SPDX-License-Identifier: Apache-2.0
import { type CallSummary, EtcdError, type EtcdErrorCode } from '../etcd-error.ts';

/** The status codes of gRPC that are of interest here, by name. */
export const grpcCodes = {
  ok: 0,
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** The facts about a call for the error mapping. */
export interface CallKind extends CallSummary {
  /** True if the call changes something; otherwise `outcomeUnknown` is never set. */
  readonly mutating: boolean;
  /** The first version of etcd with the call, for the message if a member does not support it. */
  readonly since: string | undefined;
}

/** etcd's own messages, without the prefix `etcdserver: `. Unchanged from 3.3 to 3.7. */
const byMessage: ReadonlyMap<string, EtcdErrorCode> = new Map([
  ['not leader', 'NotLeader'],
  ['no leader', 'NoLeader'],
  ['leader changed', 'LeaderChanged'],
  ['bad leader transferee', 'BadLeaderTransferee'],
  ['unhealthy cluster', 'Unhealthy'],
  ['re-configuration failed due to not enough started members', 'NotEnoughStarted'],
  ['can only promote a learner member which is in sync with leader', 'LearnerNotReady'],
  ['can only promote a learner member', 'MemberNotLearner'],
  ['too many learner members in cluster', 'TooManyLearners'],
  ['member ID already exist', 'MemberExists'],
  ['Peer URLs already exists', 'PeerUrlExists'],
  ['member not found', 'MemberNotFound'],
  ['given member URLs are invalid', 'BadMemberUrls'],
  ['rpc not supported for learner', 'NotSupportedForLearner'],
  ['cluster ID mismatch', 'ClusterIdMismatch'],
  ['mvcc: database space exceeded', 'NoSpace'],
  ['corrupt cluster', 'Corrupt'],
  ['mvcc: required revision has been compacted', 'Compacted'],
  ['mvcc: required revision is a future revision', 'FutureRevision'],
  ['request is too large', 'RequestTooLarge'],
  ['too many requests', 'TooManyRequests'],
  ['requested lease not found', 'LeaseNotFound'],
  ['lease already exists', 'LeaseExists'],
  ['permission denied', 'PermissionDenied'],
  ['invalid auth token', 'InvalidAuthToken'],
  ['revision of auth store is old', 'InvalidAuthToken'],
  ['user name is empty', 'LoginRequired'],
  ['authentication failed, invalid user ID or password', 'LoginFailed'],
  ['authentication is not enabled', 'AuthNotEnabled'],
  ['user name already exists', 'NameExists'],
  ['role name already exists', 'NameExists'],
  ['user name not found', 'NameNotFound'],
  ['role name not found', 'NameNotFound'],
  ['not capable', 'NotCapable'],
  ['cluster has a downgrade job in progress', 'DowngradeInProgress'],
  ['no inflight downgrade job', 'NoDowngradeInProgress'],
  ['invalid downgrade target version', 'InvalidDowngradeTarget'],
  ['wrong downgrade target version format', 'InvalidDowngradeTarget'],
  ['server stopped', 'ServerStopped'],
]);

const byCode: ReadonlyMap<number, EtcdErrorCode> = new Map([
  [grpcCodes.cancelled, 'Aborted'],
  [grpcCodes.invalidArgument, 'InvalidArgument'],
  [grpcCodes.deadlineExceeded, 'Timeout'],
  [grpcCodes.permissionDenied, 'PermissionDenied'],
  [grpcCodes.unimplemented, 'Unimplemented'],
  [grpcCodes.unavailable, 'Unavailable'],
  [grpcCodes.unauthenticated, 'InvalidAuthToken'],
]);

/** Errors after which the change may have been made. `NoSpace` too: the proposal is in the log already (etcd fact 5). */
const undecided: ReadonlySet<EtcdErrorCode> = new Set<EtcdErrorCode>([
  'NoLeader',
  'LeaderChanged',
  'NoSpace',
  'ServerStopped',
  'Unknown',
  'Timeout',
  'Unavailable',
  'Aborted',
]);

/** The error for a status of the server. */
export function statusError(call: CallKind, status: number, message: string): EtcdError {
  const code = codeOf(status, message);
  const text =
    code === 'Unimplemented'
      ? `this member does not support the call, which needs etcd ${call.since ?? '(a newer version)'} or newer`
      : message || `gRPC status ${status}`;
  return new EtcdError(code, text, { call, outcomeUnknown: call.mutating && undecided.has(code) });
}

/** `grpc-message` as text: percent-encoded UTF-8; invalid encoding is left unchanged. */
export function decodeGrpcMessage(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function codeOf(status: number, message: string): EtcdErrorCode {
  const sentence = message.replace(/^etcdserver: /, '');
  const known = byMessage.get(sentence);
  if (known) return known;
  // Timeouts inside the server are reported as Unavailable with one of several messages.
  if (sentence.startsWith('request timed out')) return 'Timeout';
  return byCode.get(status) ?? 'Unknown';
}
