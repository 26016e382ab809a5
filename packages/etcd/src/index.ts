// SPDX-License-Identifier: Apache-2.0
/**
 * etcd without Kubernetes: its rules as data and pure functions (`rules/`), a client for single members (`client/`),
 * their HTTP endpoints (`http/`), stored snapshots (`snapshot/`), lists of keys (`keys/`), and the write-ahead logs of
 * stopped members (`wal/`).
 */

export { type Dialer, type DialTarget, networkDialer, type TlsMaterial } from './client/dialer.ts';
export { type CallSummary, EtcdError, type EtcdErrorCode, isEtcdError } from './client/etcd-error.ts';
export type { RequestOptions } from './client/invoker.ts';
export { MemberClient, type MemberClientOptions } from './client/member-client.ts';
export type { AuthStatusResponse, Permission } from './client/messages/auth-messages.ts';
export type { Member, MemberAddResponse, MembersResponse } from './client/messages/cluster-messages.ts';
export type {
  CompactionRequest,
  Compare,
  DeleteRangeRequest,
  DeleteRangeResponse,
  HeaderResponse,
  KeyValue,
  PutRequest,
  PutResponse,
  RangeRequest,
  RangeResponse,
  RequestOp,
  ResponseHeader,
  TxnRequest,
  TxnResponse,
} from './client/messages/kv-messages.ts';
export type {
  LeaseGrantResponse,
  LeaseKeepAliveResponse,
  LeaseTimeToLiveResponse,
} from './client/messages/lease-messages.ts';
export type { HashKvResponse, HashResponse } from './client/messages/maintenance-messages.ts';
export { decodeEvents, encodeEvents, type StoredEvent, type WatchEvent } from './client/messages/watch-messages.ts';
export type { Auth } from './client/services/auth.ts';
export type { ClusterMembership } from './client/services/cluster.ts';
export { type KeyValueStore, prefixEnd, toBytes } from './client/services/kv.ts';
export type { Leases } from './client/services/lease.ts';
export type { Alarm, AlarmKind, Maintenance } from './client/services/maintenance.ts';
export { formatId, type MemberStatus, parseId } from './client/services/member-status.ts';
export type { WatchBatch, WatchBatchOptions, WatchOptions } from './client/services/watch.ts';
export type { SnapshotOptions } from './client/snapshot/snapshot-stream.ts';
export type { Login } from './client/token-source.ts';
export {
  type CheckAnswer,
  MemberEndpoints,
  type MemberEndpointsOptions,
  type VersionAnswer,
} from './http/member-endpoints.ts';
export { diffKeys, type KeyChange } from './keys/diff-keys.ts';
export { type LiveAsked, liveKeys } from './keys/live-keys.ts';
export { printable, textOf } from './keys/printable.ts';
export {
  checkEnv,
  type EnvProblem,
  type EnvSetting,
  isEnvOfEtcd,
  isReservedEnv,
  tuningEnv,
} from './rules/flags/env-check.ts';
export {
  envOfFlag,
  type FlagLifetime,
  flagLifetime,
  flagOfEnv,
  flagsOf,
  type GatedFlag,
  gatedFlags,
  hasFlag,
} from './rules/flags/flags.ts';
export {
  hasLivez,
  metricsPort,
  type ProbePlan,
  type ProbeTarget,
  probePlan,
  readyzExcludesLearners,
} from './rules/flags/probes.ts';
export {
  joinsAsLearner,
  knowsLearners,
  type LearnerContext,
  learnersAllowed,
  raisedMaxLearners,
} from './rules/membership/learners.ts';
export {
  clientPort,
  initialCluster,
  type MemberAddress,
  type MemberNameResult,
  type MemberPlace,
  memberAddress,
  memberNameFromPeerUrl,
  peerPort,
} from './rules/membership/member-name.ts';
export { hasQuorum, isWastefulSize, quorum, tolerance } from './rules/membership/quorum.ts';
export {
  healthIntervalMs,
  type Reconfig,
  type ReconfigMember,
  type ReconfigVerdict,
  type ReconfigView,
  reconfigVerdict,
} from './rules/membership/strict-reconfig.ts';
export { type Advisory, advisories, advisoriesFor, fixOf } from './rules/versions/advisories.ts';
export {
  defaultVersion,
  isNextMinor,
  type MinorRelease,
  minorRelease,
  minorReleases,
  type SupportState,
  supportedVersions,
  supportOf,
} from './rules/versions/releases.ts';
export { type RestoreTool, restoreTool } from './rules/versions/restore-tool.ts';
export {
  preparingSnapshotCount,
  type SnapshotGate,
  snapshotGate,
  snapshotSavedMetric,
} from './rules/versions/snapshot-gate.ts';
export {
  minorsBetween,
  type UpgradeFacts,
  type UpgradeVerdict,
  upgradeVerdict,
} from './rules/versions/upgrade-path.ts';
export {
  compareMinors,
  compareVersions,
  type EtcdVersion,
  formatVersion,
  isAtLeast,
  isSameMinor,
  type MinorName,
  minorName,
  parseVersion,
  versionOf,
} from './rules/versions/version.ts';
export type { TransactionChanges } from './snapshot/append/change-entries.ts';
export {
  type BaseSnapshot,
  type ExtendedSnapshot,
  extendSnapshot,
  type LaterChanges,
} from './snapshot/append/extend-snapshot.ts';
export type { GrantedLease } from './snapshot/append/lease-entries.ts';
export type { ReadAt } from './snapshot/bolt-page.ts';
export { checkSnapshot, checkSnapshotLength, type MeasuredFile } from './snapshot/check-snapshot.ts';
export { type KeySummary, summarizeKeys } from './snapshot/key-summary.ts';
export { SnapshotError, type SnapshotErrorCode } from './snapshot/snapshot-error.ts';
export { readSnapshotFacts, type SnapshotFacts } from './snapshot/snapshot-facts.ts';
export { type KeysAsked, type ListedKey, type SnapshotFile, SnapshotKeys } from './snapshot/snapshot-keys.ts';
export type { RunLimits, Spill } from './snapshot/sorted-runs.ts';
export { type VerifiedSnapshot, verifySnapshot } from './snapshot/verify-snapshot.ts';
export { LogError, type LogErrorCode } from './wal/log-error.ts';
export { LogReader, type LogReading } from './wal/read-log.ts';
export { singleMemberRecords } from './wal/single-member-log.ts';
