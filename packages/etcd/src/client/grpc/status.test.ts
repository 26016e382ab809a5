// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { type CallKind, decodeGrpcMessage, statusError } from './status.ts';

const change: CallKind = { method: 'Cluster/MemberAdd', endpoint: '10.0.0.7:2379', mutating: true, since: undefined };
const read: CallKind = { ...change, method: 'KV/Range', mutating: false };

describe("errors with etcd's own meaning", () => {
  // The status code and message as etcd sends them; the last column: whether the change may have been made.
  test.each([
    [9, 'etcdserver: not leader', 'NotLeader', false],
    [14, 'etcdserver: no leader', 'NoLeader', true],
    [14, 'etcdserver: leader changed', 'LeaderChanged', true],
    [9, 'etcdserver: bad leader transferee', 'BadLeaderTransferee', false],
    [14, 'etcdserver: unhealthy cluster', 'Unhealthy', false],
    [9, 'etcdserver: re-configuration failed due to not enough started members', 'NotEnoughStarted', false],
    [9, 'etcdserver: can only promote a learner member which is in sync with leader', 'LearnerNotReady', false],
    [9, 'etcdserver: can only promote a learner member', 'MemberNotLearner', false],
    [9, 'etcdserver: too many learner members in cluster', 'TooManyLearners', false],
    [9, 'etcdserver: member ID already exist', 'MemberExists', false],
    [9, 'etcdserver: Peer URLs already exists', 'PeerUrlExists', false],
    [5, 'etcdserver: member not found', 'MemberNotFound', false],
    [3, 'etcdserver: given member URLs are invalid', 'BadMemberUrls', false],
    [9, 'etcdserver: rpc not supported for learner', 'NotSupportedForLearner', false],
    [8, 'etcdserver: mvcc: database space exceeded', 'NoSpace', true],
    [15, 'etcdserver: corrupt cluster', 'Corrupt', false],
    [11, 'etcdserver: mvcc: required revision has been compacted', 'Compacted', false],
    [11, 'etcdserver: mvcc: required revision is a future revision', 'FutureRevision', false],
    [3, 'etcdserver: request is too large', 'RequestTooLarge', false],
    [8, 'etcdserver: too many requests', 'TooManyRequests', false],
    [5, 'etcdserver: requested lease not found', 'LeaseNotFound', false],
    [7, 'etcdserver: permission denied', 'PermissionDenied', false],
    [16, 'etcdserver: invalid auth token', 'InvalidAuthToken', false],
    [3, 'etcdserver: user name is empty', 'LoginRequired', false],
    [3, 'etcdserver: authentication failed, invalid user ID or password', 'LoginFailed', false],
    [9, 'etcdserver: authentication is not enabled', 'AuthNotEnabled', false],
    [9, 'etcdserver: no inflight downgrade job', 'NoDowngradeInProgress', false],
    [3, 'etcdserver: invalid downgrade target version', 'InvalidDowngradeTarget', false],
    [14, 'etcdserver: server stopped', 'ServerStopped', true],
    [14, 'etcdserver: request timed out', 'Timeout', true],
    [14, 'etcdserver: request timed out, possibly due to previous leader failure', 'Timeout', true],
    [4, 'context deadline exceeded', 'Timeout', true],
    [14, 'transport is closing', 'Unavailable', true],
    [1, 'context canceled', 'Aborted', true],
    [3, 'etcdserver: duplicate key given in txn request', 'InvalidArgument', false],
    [2, 'something new', 'Unknown', true],
    [13, 'stream terminated', 'Unknown', true],
  ] as const)('%i %j is %s', (status, message, code, outcomeUnknown) => {
    expect(statusError(change, status, message)).toMatchObject({ code, outcomeUnknown });
    expect(statusError(read, status, message)).toMatchObject({ code, outcomeUnknown: false });
  });

  test('a call that the member lacks names the version it came with', () => {
    const error = statusError({ ...change, method: 'Maintenance/Downgrade', since: '3.5' }, 12, 'unknown method');
    expect(error).toMatchObject({ code: 'Unimplemented', outcomeUnknown: false });
    expect(error.message).toBe(
      'Maintenance/Downgrade on 10.0.0.7:2379: this member does not support the call, which needs etcd 3.5 or newer',
    );
  });

  test('a status without a message is still reported', () => {
    expect(statusError(read, 13, '').message).toContain('gRPC status 13');
  });

  test('messages are percent-decoded; broken ones are left as they are', () => {
    expect(decodeGrpcMessage('caf%C3%A9 100%25')).toBe('café 100%');
    expect(decodeGrpcMessage('100% broken %zz')).toBe('100% broken %zz');
  });
});
