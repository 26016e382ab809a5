// SPDX-License-Identifier: Apache-2.0
/**
 * Every reason of a condition and of an event on an EtcdCluster, in one place. Names with blanks are the original operator's.
 * docs/reference/reasons.md is made of the comments here: what it means, and after "To do:" what a person does about it.
 */

/** Conditions of an EtcdCluster. */
export const conditionTypes = {
  /** A quorum of voters answers: clients can read and write. */
  available: 'Available',
  /** Members are being added or removed to reach the size that the spec asks for. */
  scaling: 'Scaling',
  /** Members are being brought to the version that the spec asks for. */
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
  /** The size is even: one member fewer would bear as many losses. */
  evenSize: 'EvenSize',
  /** A secret that the spec names would not work: a certificate that has expired or lacks a name, a key that is missing. */
  secretsInvalid: 'TLSInvalid',
  /** The spec asks for something that cannot be done to a living cluster. */
  specRefused: 'SpecRefused',
} as const;

/** Reasons of conditions. */
export const conditionReasons = {
  /** Every voter answers. To do: nothing. */
  available: 'Cluster available',
  /** Members are being added, one after the other. To do: wait; `status.plan` says what for. */
  scalingUp: 'Scaling up',
  /** Members are being removed, unhealthy ones first and the leader last. To do: wait. */
  scalingDown: 'Scaling down',
  /** One member after the other gets the new version; the leader is last. To do: wait. */
  upgrading: 'Cluster upgrading',
  /** Some voters do not answer, but a quorum does: clients are served. To do: see `status.memberDetails` for who and why; a member that stays silent is replaced after `spec.pod.replaceAfter`. */
  degraded: 'Degraded',
  /** So many voters are silent that nothing can be read or written. Nothing is changed; work goes on by itself when enough of them return. To do: bring nodes or volumes back; if they are gone for good, restore a backup with an EtcdRestore. */
  quorumLost: 'QuorumLost',
  /** The operator cannot reach enough members, but a quorum of pods is Ready: clients are probably served. Nothing is changed. To do: check network policies between the operator and the pods, and the operator's client certificate in `spec.TLS`. Do not restore a backup. */
  unreachable: 'Unreachable',
  /** All members and their data are gone. To do: restore a backup with an EtcdRestore, or delete the EtcdCluster and create it again to begin empty. */
  dataLost: 'DataLost',
  /** Members do not let the operator look: their access control is on. To do: name a secret with the name and password of a user with the role root in `spec.auth.secret`. */
  accessDenied: 'AccessDenied',
  /** The first members are being made. To do: wait; if it takes long, the message says for what, such as an image that cannot be pulled. */
  bootstrapping: 'Bootstrapping',
  /** An EtcdRestore is bringing the cluster's next life. To do: follow the EtcdRestore's status. */
  restoring: 'Restoring',
  /** The spec cannot be followed, and nothing is changed until it can. To do: correct what the message names. */
  specInvalid: 'SpecInvalid',
  /** `spec.paused` is true, and the cluster does not serve. To do: set it to false to have it healed. */
  paused: 'Paused',
  /** The records of which etcd cluster this is contradict each other; nothing is touched, because every guess could destroy data. To do: compare `status.clusterID` with the annotations of the object, its pods and its volume claims, and remove the record that is wrong. */
  identityConflict: 'IdentityConflict',
  /** An operator of the original kind is still working. To do: scale its Deployment to 0; this one takes over about 15 seconds later. */
  oldOperatorAlive: 'OldOperatorAlive',
  /** A member is being brought back or replaced. To do: wait; the message says which and why. */
  replacingMember: 'ReplacingMember',
  /** The version is not being changed, for the reason in the message: a step over a minor, an option that the target does not know, a version that failed before. To do: what the message says. */
  upgradeHeld: 'UpgradeHeld',
  /** There are as many members as the spec asks for. To do: nothing. */
  atSize: 'AtSize',
  /** Every member runs the version that the spec asks for. To do: nothing. */
  atVersion: 'AtVersion',
  /** No member is in need of repair. To do: nothing. */
  allHealthy: 'AllHealthy',
  /** The spec has changed in a way that only a new pod can have, and the pods have no volumes. To do: nothing, if it can wait until they are replaced for another reason; otherwise set `spec.pod.updatePolicy` to `Replace`, which sends the database to each new member. */
  waitingForReplacement: 'WaitingForReplacement',
  /** These pods were taken over as they are; they cannot restart in place. To do: nothing; a change of the version replaces them one by one. */
  madeByOriginal: 'MadeByOriginal',
  /** An object of this cluster's name or labels belongs to somebody else, and is left alone. To do: delete it, or take the labels off it. */
  otherOwner: 'OtherOwner',
  /** The EtcdCluster is being deleted. To do: nothing. */
  deleting: 'Deleting',
  /** The database of a member has reached its quota: etcd takes no more writes. To do: compact, defragment each member, then disarm the alarm. */
  noSpace: 'NoSpace',
  /** etcd has found that members hold different data. To do: compare their hashes, replace the one that differs, then disarm the alarm. */
  corrupt: 'Corrupt',
  /** This minor of etcd gets no more patches. To do: plan an upgrade, one minor at a time. */
  endOfLife: 'EndOfLife',
  /** This version of etcd has a fault that a later one cures. To do: set `spec.version` to the version that the message names. */
  knownFaults: 'KnownFaults',
  /** Somebody added members with etcdctl. They are not touched, and count for quorum if they vote. To do: remove them with etcdctl, if they are not wanted. */
  addedByHand: 'AddedByHand',
  /** An even number of members costs one more and bears no more losses. To do: choose an odd size. */
  noMoreTolerance: 'NoMoreTolerance',
  /** A secret cannot be used, for the reason in the message; running members are left as they are. To do: put a working certificate or password into the secret; it is noticed by itself. */
  secretUnusable: 'SecretUnusable',
  /** TLS cannot be turned on or off while members run: they would not understand each other. To do: put the spec back, or restore a backup into a new cluster with the other setting. */
  tlsChange: 'TLSChange',
} as const;

/** Events on an EtcdCluster. The first four are the original's, texts included. */
export const eventReasons = {
  /** A member has been made, the first one included. To do: nothing. */
  memberAdded: 'New Member Added',
  /** A member has left etcd's list. To do: nothing. */
  memberRemoved: 'Member Removed',
  /** A member is dead for good and makes room for a fresh one. To do: nothing; if it happens often, look at the node it was on. */
  replacingDeadMember: 'Replacing Dead Member',
  /** A member has been given another version. To do: nothing. */
  memberUpgraded: 'Member Upgraded',
  /** So many voters are silent that nothing can be read or written. To do: as for the condition of that name. */
  quorumLost: 'QuorumLost',
  /** Enough voters answer again. To do: nothing. */
  quorumRestored: 'QuorumRestored',
  /** The spec cannot be followed. To do: correct what the message names. */
  specInvalid: 'SpecInvalid',
  /** A member does not run with the new version and goes back to the old one; the others were not touched. To do: read the log of the pod, then set `spec.version` to one that works. */
  upgradeFailed: 'UpgradeFailed',
  /** The API server refuses an object that the spec leads to, or the operator lacks a right or a quota. To do: correct the field that the message names, or grant the right. */
  stepRefused: 'StepRefused',
  /** A step was done several times and is still needed: an admission webhook, a policy or another controller undoes it, or it has no effect. It is repeated after growing delays, at most every 30 s. To do: find who changes the object that the message names (`kubectl get --show-managed-fields`, `kubectl get mutatingwebhookconfigurations`). */
  stepWithoutEffect: 'StepWithoutEffect',
  /** Leadership has been handed to another member before the leader was stopped. To do: nothing. */
  leaderMoved: 'LeaderMoved',
} as const;
