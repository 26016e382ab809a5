// SPDX-License-Identifier: Apache-2.0
/**
 * etcd without Kubernetes: its rules as data and pure functions (`rules/`), a client that addresses one member at a time
 * (`client/`), what members say over plain HTTP (`http/`), and stored snapshots (`snapshot/`).
 */
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
