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
  /** Pods of another object carry this cluster's labels, and are behind its Services. */
  foreignPods: 'ForeignPods',
  /** A Service of another object has the name of one of ours. */
  foreignServices: 'ForeignServices',
  /** etcd lists members that somebody else added. */
  strangerMembers: 'StrangerMembers',
  /** etcd has raised an alarm. */
  alarmRaised: 'AlarmRaised',
  /** The version that runs is no longer patched, or has known faults. */
  versionAdvisory: 'VersionAdvisory',
  /** One member more would bear no more losses. */
  evenSize: 'EvenSize',
  /** The spec asks for something that cannot be done to a living cluster. */
  specRefused: 'SpecRefused',
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
  /** Members do not let the operator look: their access control is on. */
  accessDenied: 'AccessDenied',
  bootstrapping: 'Bootstrapping',
  restoring: 'Restoring',
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
  deleting: 'Deleting',
  noSpace: 'NoSpace',
  corrupt: 'Corrupt',
  endOfLife: 'EndOfLife',
  knownFaults: 'KnownFaults',
  addedByHand: 'AddedByHand',
  noMoreTolerance: 'NoMoreTolerance',
  tlsChange: 'TLSChange',
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
  stepRefused: 'StepRefused',
  clusterFounded: 'ClusterFounded',
  clusterAdopted: 'ClusterAdopted',
  leaderMoved: 'LeaderMoved',
} as const;
