// SPDX-License-Identifier: Apache-2.0
/**
 * etcd without Kubernetes: its rules as data and pure functions (`rules/`), a client that addresses one member at a time
 * (`client/`), what members say over plain HTTP (`http/`), and stored snapshots (`snapshot/`).
 */
export type { Auth } from './client/auth.ts';
export type { ClusterMembership } from './client/cluster.ts';
export { type Dialer, type DialTarget, networkDialer, type TlsMaterial } from './client/dialer.ts';
export { type CallSummary, EtcdError, type EtcdErrorCode, isEtcdError } from './client/etcd-error.ts';
export type { RequestOptions } from './client/invoker.ts';
export { type KeyValueStore, prefixEnd, toBytes } from './client/kv.ts';
export type { Leases } from './client/lease.ts';
export type { Alarm, AlarmKind, Maintenance } from './client/maintenance.ts';
export { MemberClient, type MemberClientOptions } from './client/member-client.ts';
export { formatId, type MemberStatus, parseId } from './client/member-status.ts';
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
export type { WatchEvent } from './client/messages/watch-messages.ts';
export type { SnapshotOptions } from './client/snapshot-stream.ts';
export type { Login } from './client/token-source.ts';
export type { WatchOptions } from './client/watch.ts';
export {
  type CheckAnswer,
  MemberEndpoints,
  type MemberEndpointsOptions,
  type VersionAnswer,
} from './http/member-endpoints.ts';
export { type Advisory, advisories, advisoriesFor, fixOf } from './rules/advisories.ts';
export { checkEnv, type EnvProblem, type EnvSetting, isReservedEnv } from './rules/env-check.ts';
export {
  envOfFlag,
  type FlagLife,
  flagLife,
  flagOfEnv,
  flagsOf,
  type GatedFlag,
  gatedFlags,
  hasFlag,
} from './rules/flags.ts';
export {
  joinsAsLearner,
  knowsLearners,
  type LearnerContext,
  learnersAllowed,
  raisedMaxLearners,
} from './rules/learners.ts';
export {
  clientPort,
  initialCluster,
  type MemberAddress,
  type MemberNameResult,
  type MemberPlace,
  memberAddress,
  memberNameFromPeerUrl,
  peerPort,
} from './rules/member-name.ts';
export { type OptionEnv, type OptionSetting, optionEnv } from './rules/option-env.ts';
export {
  hasLivez,
  isHealthHarmless,
  metricsPort,
  type ProbePlan,
  type ProbeTarget,
  probePlan,
  readyzExcludesLearners,
} from './rules/probes.ts';
export { hasQuorum, isWastefulSize, quorum, spareVoters, tolerance } from './rules/quorum.ts';
export {
  defaultVersion,
  isNextMinor,
  type MinorRelease,
  minorRelease,
  minorReleases,
  type SupportState,
  supportOf,
} from './rules/releases.ts';
export { type RestoreTool, restoreTool } from './rules/restore-tool.ts';
export { preparingSnapshotCount, type SnapshotGate, snapshotGate, snapshotSavedMetric } from './rules/snapshot-gate.ts';
export {
  healthIntervalMs,
  type Reconfig,
  type ReconfigMember,
  type ReconfigVerdict,
  type ReconfigView,
  reconfigVerdict,
} from './rules/strict-reconfig.ts';
export { minorsBetween, type UpgradeFacts, type UpgradeVerdict, upgradeVerdict } from './rules/upgrade-path.ts';
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
} from './rules/version.ts';
export type { ReadAt } from './snapshot/bolt-page.ts';
export { checkSnapshot, checkSnapshotLength, type MeasuredFile } from './snapshot/check-snapshot.ts';
export { SnapshotError, type SnapshotErrorCode } from './snapshot/snapshot-error.ts';
export { readSnapshotFacts, type SnapshotFacts } from './snapshot/snapshot-facts.ts';
export { type VerifiedSnapshot, verifySnapshot } from './snapshot/verify-snapshot.ts';
