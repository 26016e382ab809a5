// SPDX-License-Identifier: Apache-2.0
/** Every reason of a condition and of an event, in one place. Names with blanks are the original operator's. */

/** Conditions of an EtcdCluster. */
export const conditionTypes = {
  /** A quorum of voters answers and all that was asked for is there. */
  available: 'Available',
  scaling: 'Scaling',
  upgrading: 'Upgrading',
  /** Members are being repaired or replaced. */
  recovering: 'Recovering',
  /** Members differ from the spec and will follow it only when their pods are replaced. */
  podsOutdated: 'PodsOutdated',
  /** Pods made by the original operator are still in use. */
  adoptedPods: 'AdoptedPods',
  /** Volume claims of another object carry this cluster's labels. */
  foreignVolumes: 'ForeignVolumes',
} as const;

export const conditionReasons = {
  available: 'Cluster available',
  scalingUp: 'Scaling up',
  scalingDown: 'Scaling down',
  upgrading: 'Cluster upgrading',
  /** Some, but not all, voters answer; a quorum does. */
  degraded: 'Degraded',
  quorumLost: 'QuorumLost',
  dataLost: 'DataLost',
  bootstrapping: 'Bootstrapping',
  specInvalid: 'SpecInvalid',
  paused: 'Paused',
  identityConflict: 'IdentityConflict',
  oldOperatorAlive: 'OldOperatorAlive',
  replacingMember: 'ReplacingMember',
  upgradeHeld: 'UpgradeHeld',
  atSize: 'AtSize',
  atVersion: 'AtVersion',
  allHealthy: 'AllHealthy',
  waitingForReplacement: 'WaitingForReplacement',
  madeByOriginal: 'MadeByOriginal',
  otherOwner: 'OtherOwner',
} as const;

/** Events on an EtcdCluster. The first four are the original's, texts included. */
export const eventReasons = {
  memberAdded: 'New Member Added',
  memberRemoved: 'Member Removed',
  replacingDeadMember: 'Replacing Dead Member',
  memberUpgraded: 'Member Upgraded',
  quorumLost: 'QuorumLost',
  quorumRestored: 'QuorumRestored',
  specInvalid: 'SpecInvalid',
  upgradeFailed: 'UpgradeFailed',
  clusterFounded: 'ClusterFounded',
  clusterAdopted: 'ClusterAdopted',
  leaderMoved: 'LeaderMoved',
} as const;
