// SPDX-License-Identifier: Apache-2.0
/**
 * Every reason of a condition and of an event on an EtcdCluster, an EtcdBackup and an EtcdRestore, in one place. Names with blanks
 * are those of the CoreOS etcd-operator; all others are CamelCase.
 * docs/reference/reasons.md is generated from these comments: the meaning, and after "To do:" what users should do.
 */

/** Conditions of all three kinds, as kstatus defines them. Flux, Argo CD and `kubectl wait` use them. */
export const standardConditionTypes = {
  /** True if the object is as its spec asks: the cluster has its size and version and every voter serves, the backup is made or its schedule is in place, the restore has succeeded. */
  ready: 'Ready',
  /** The operator is working towards the spec. Present only while this is the case. */
  reconciling: 'Reconciling',
  /** The spec cannot be reached until a person changes something or a node returns; reason and message say what. Present only while this is the case, and never together with `Reconciling`. */
  stalled: 'Stalled',
} as const;

/** Conditions of an EtcdCluster. */
export const conditionTypes = {
  /** A quorum of voters is reachable, at least one of them is an endpoint of the client Service, and no alarm is raised: clients can read and write. */
  available: 'Available',
  /** Members are being added or removed to reach the size that the spec asks for. */
  scaling: 'Scaling',
  /** Members are being upgraded or downgraded to `spec.version`. */
  upgrading: 'Upgrading',
  /** Members are being repaired or replaced. */
  recovering: 'Recovering',
  /** Pods differ from the spec and follow it only when they are replaced. */
  podsOutdated: 'PodsOutdated',
  /** Pods created by the CoreOS etcd-operator are still in use. */
  adoptedPods: 'AdoptedPods',
  /** PersistentVolumeClaims of another owner have this cluster's labels. */
  volumesOfOtherOwner: 'VolumesOfOtherOwner',
  /** Pods of another owner have this cluster's labels, and are endpoints of its Services. */
  podsOfOtherOwner: 'PodsOfOtherOwner',
  /** A Service of another owner has the name of one of this cluster's Services. */
  servicesOfOtherOwner: 'ServicesOfOtherOwner',
  /** etcd lists members that this operator did not create. */
  unmanagedMembers: 'UnmanagedMembers',
  /** etcd has raised an alarm. */
  alarmRaised: 'AlarmRaised',
  /** The version of etcd is no longer maintained or has known defects. This is the running version or, if no member runs yet, the version in the spec. */
  versionAdvisory: 'VersionAdvisory',
  /** The size is even: a cluster with one member fewer tolerates as many failures. */
  evenSize: 'EvenSize',
  /** A Secret that the spec names is not valid: a certificate that has expired or lacks a name, a login or a key that is missing. */
  secretsInvalid: 'SecretsInvalid',
  /** The spec asks for a change that cannot be made to a running cluster, or for pods that the administrator does not allow. */
  specRefused: 'SpecRefused',
  /** The spec has fields that no EtcdCluster has. */
  unknownFields: 'UnknownFields',
} as const;

/** Reasons of conditions of an EtcdCluster. */
export const conditionReasons = {
  /** Every voter is healthy, and its pod is Ready. To do: nothing. */
  available: 'Cluster available',
  /** Members are being added, one after the other. To do: wait; `status.plan` says what the operator waits for. */
  scalingUp: 'Scaling up',
  /** Members are being removed: unhealthy and outdated members first, and the leader last among members that are equal in this. To do: wait until the members are removed. */
  scalingDown: 'Scaling down',
  /** One member after the other gets the new version; the leader is last. A cluster of one or two members does not serve while one of them restarts. To do: wait until all members run the new version. */
  upgrading: 'Cluster upgrading',
  /** Some voters are not healthy or their pods are not Ready, but a quorum is healthy: clients are served. To do: find the unhealthy members and the cause in `status.memberDetails`; a member that stays unreachable is replaced after `spec.pod.replaceAfter`. */
  degraded: 'Degraded',
  /** Too few voters are reachable for a quorum: nothing can be read or written. No member is added or removed; reconciliation continues when enough voters return. To do: repair the nodes or volumes of the unreachable members; if their data is gone, follow the runbook quorum-lost. */
  quorumLost: 'QuorumLost',
  /** The members have a quorum, but clients that use the Service reach none of them: no pod of a voter is Ready, or the Service does not exist. To do: wait if the members have just started; otherwise find out with `kubectl describe pod` why the readiness probe fails. */
  noEndpoints: 'NoEndpoints',
  /** The operator cannot reach enough members, but a quorum of pods is Ready: clients are probably served. Nothing is changed. To do: check network policies between the operator and the pods, and the client certificate in `spec.TLS.static.operatorSecret`. Do not restore a backup. */
  unreachable: 'Unreachable',
  /** All members and their data are gone. To do: restore a backup with an EtcdRestore, or delete the EtcdCluster and create it again to start empty. */
  dataLost: 'DataLost',
  /** Authentication is enabled in etcd, and etcd refuses the operator. To do: set `spec.auth.secret` to a Secret with username and password of a user with the role root. */
  accessDenied: 'AccessDenied',
  /** The first members are being created. To do: wait; the message says what the first members wait for, such as an image that cannot be pulled. */
  bootstrapping: 'Bootstrapping',
  /** An EtcdRestore creates a new incarnation of the cluster; reconciliation is suspended. To do: follow the progress in the status of the EtcdRestore. */
  restoring: 'Restoring',
  /** The spec is not valid; reconciliation is suspended until it is. To do: correct the fields of the spec that the message names. */
  specInvalid: 'SpecInvalid',
  /** `spec.paused` is true: nothing is changed or repaired. To do: set `spec.paused` to false; the operator then repairs the cluster and applies changes of the spec. */
  paused: 'Paused',
  /** The recorded cluster IDs contradict each other. Nothing is changed, because a wrong choice could destroy data. To do: compare `status.clusterID` with the annotations of the EtcdCluster, its pods and its PersistentVolumeClaims, and remove the wrong cluster ID. */
  identityConflict: 'IdentityConflict',
  /** The CoreOS etcd-operator still holds its lock; reconciliation is suspended. To do: scale the Deployment of the CoreOS etcd-operator to 0; this operator continues about 15 s later. */
  coreOSOperatorRunning: 'CoreOSOperatorRunning',
  /** Pods are being changed in place or replaced, one after the other, because the spec has changed. To do: wait; `status.plan` says what the operator waits for. */
  updating: 'Updating',
  /** A step is refused by the API server, or was done several times and is still needed. To do: find the step in the message; correct the field or grant the right that the API server asks for, or find out what reverts the step. */
  stepFailed: 'StepFailed',
  /** A member is being restarted, repaired or replaced. To do: wait; the message names the member and says why. */
  replacingMember: 'ReplacingMember',
  /** The version is not changed, for the reason in the message: a minor version would be skipped, the new version does not know an option, or the upgrade has failed before. To do: do what the message says; the upgrade then continues. */
  upgradeHeld: 'UpgradeHeld',
  /** There are as many members as the spec asks for. To do: nothing. */
  atSize: 'AtSize',
  /** Every member runs the version that the spec asks for. To do: nothing. */
  atVersion: 'AtVersion',
  /** No member needs repair. To do: nothing. */
  allHealthy: 'AllHealthy',
  /** A change of the spec needs new pods, and the pods have no PersistentVolumeClaims. To do: nothing, if the change can wait until the pods are replaced for another reason. To apply the change now, set `spec.pod.updatePolicy` to `Replace`; then each new member receives the whole database. */
  waitingForReplacement: 'WaitingForReplacement',
  /** These pods were adopted as they are; they cannot restart in place. To do: nothing; a change of `spec.version` replaces the adopted pods one by one. */
  createdByCoreOS: 'CreatedByCoreOS',
  /** An object with this cluster's name or labels belongs to another owner and is not changed. To do: delete the object that the message names, or remove the labels of this cluster from it. */
  otherOwner: 'OtherOwner',
  /** The EtcdCluster is being deleted. To do: nothing. */
  deleting: 'Deleting',
  /** The database of a member has reached its quota: etcd refuses writes; reads and deletes work. To do: delete keys, compact, defragment each member, then disarm the alarm; the runbook disk-full shows how. */
  noSpace: 'NoSpace',
  /** etcd has found that members hold different data, and refuses writes. The operator compares HashKV of all voters at one revision. A member that differs from a strict majority is replaced, and the alarm is disarmed once all voters hold the same data; no member joins until then. To do: nothing if the message says that a member is being replaced; otherwise follow the runbook data-corruption. */
  corrupt: 'Corrupt',
  /** This minor version of etcd is no longer maintained. To do: upgrade etcd one minor version at a time; for a new cluster, set `spec.version` to a version that the message names. */
  endOfLife: 'EndOfLife',
  /** This version of etcd has a defect that a later version fixes. To do: set `spec.version` to the version that the message names. */
  knownFaults: 'KnownFaults',
  /** Members were added with etcdctl or by another program. They are not changed, and voters among them count for quorum. To do: remove the unmanaged members with `etcdctl member remove` if they are not wanted. */
  notCreatedByOperator: 'NotCreatedByOperator',
  /** A cluster with an even number of members tolerates no more failures than a cluster with one member fewer. To do: set `spec.size` to an odd number. */
  noMoreTolerance: 'NoMoreTolerance',
  /** A Secret is not valid, for the reason in the message; running members are not changed. To do: correct the Secret that the message names; the operator notices the change within a minute. */
  secretUnusable: 'SecretUnusable',
  /** TLS cannot be turned on or off in a running cluster: members with and without TLS cannot connect. To do: undo the change of `spec.TLS`, or restore a backup into a new cluster with the new TLS setting. */
  tlsChange: 'TLSChange',
  /** The spec asks for pods that the flags of the operator do not allow: a security context that weakens the restricted Pod Security Standard, an image of another repository, sidecars and volumes, or a service account. Nothing is created, and running members are not changed, repaired or replaced, unless they already run with that security context. To do: change the field that the message names, or ask the administrator to allow it with `-allow-privileged-pods`, `-allow-repositories`, `-allow-sidecars` or `-allow-service-accounts`. */
  notAllowed: 'NotAllowed',
  /** Fields of the spec are misspelt, or are those of another operator; they are stored and ignored. To do: correct the field names that the message gives, or remove these fields. */
  notInSchema: 'NotInSchema',
} as const;

/** A reason of a condition of an EtcdCluster. */
export type ConditionReason = (typeof conditionReasons)[keyof typeof conditionReasons];

/** Events on an EtcdCluster. The first four are those of the CoreOS etcd-operator, texts included. */
export const eventReasons = {
  /** A member has been created, the first one included. To do: nothing. */
  memberAdded: 'New Member Added',
  /** A member has been removed from the cluster. To do: nothing. */
  memberRemoved: 'Member Removed',
  /** A dead member is being replaced. To do: nothing; if it happens often, check the node on which the member ran. */
  replacingDeadMember: 'Replacing Dead Member',
  /** A member has been upgraded or downgraded, and is up. To do: nothing. */
  memberUpgraded: 'Member Upgraded',
  /** Too few voters are reachable for a quorum. To do: as for the condition reason of that name. */
  quorumLost: 'QuorumLost',
  /** The operator cannot reach enough members, although a quorum of pods is Ready. To do: as for the condition reason of that name. */
  unreachable: 'Unreachable',
  /** A quorum of voters is reachable again. To do: nothing. */
  quorumRestored: 'QuorumRestored',
  /** A majority of the members is permanently lost, and spec.recovery.quorumLoss is Automatic: the EtcdRestore that the message names recovers the cluster from the remaining members. To do: check what was written last; see runbook quorum-lost. */
  recoveringQuorum: 'RecoveringQuorum',
  /** This operator does not manage the object, and knows of no other operator that manages it. To do: remove or correct its annotation `etcd.database.coreos.com/scope`, or run an operator for its namespace. */
  notResponsible: 'NotResponsible',
  /** Another operator has just managed the object, or may still manage it. To do: nothing; this operator manages the object once the other operator has released it or has been gone for a minute or two. */
  waitingForOperator: 'WaitingForOperator',
  /** The spec is not valid. To do: correct what the message names. */
  specInvalid: 'SpecInvalid',
  /** The spec asks for a change that cannot be made, or for pods that the administrator does not allow. To do: as for the reason of the condition `SpecRefused`. */
  specRefused: 'SpecRefused',
  /** The version that the spec names, or that runs, is no longer maintained; its image may not exist. To do: set `spec.version` to a version that the message names. */
  versionUnsupported: 'VersionUnsupported',
  /** A member does not run with the new version and is rolled back; the other members were not changed. To do: read the container logs of the pod, then set `spec.version` to a version that works. */
  upgradeFailed: 'UpgradeFailed',
  /** The API server refuses an object that the operator creates or changes: a field is not valid, a right is missing, or a quota is exceeded. To do: correct the field that the message names, or grant the right. */
  stepRefused: 'StepRefused',
  /** A step was done several times and is still needed: an admission webhook, a policy or another controller reverts it, or it has no effect. The step is retried with growing delays of up to 30 s. To do: find out what changes the object that the message names (`kubectl get --show-managed-fields`, `kubectl get mutatingwebhookconfigurations`). */
  stepWithoutEffect: 'StepWithoutEffect',
  /** etcd refuses writes: the database has reached its quota, or members hold different data. To do: as for the condition reasons `NoSpace` and `Corrupt`. */
  alarmRaised: 'AlarmRaised',
  /** The alarm is disarmed, and clients can write again. To do: nothing. */
  alarmCleared: 'AlarmCleared',
  /** The data of a member differs from the majority of the voters, or may differ; the member is being replaced. To do: check the disk and the memory of the node on which the member ran. */
  replacingCorruptMember: 'ReplacingCorruptMember',
  /** Leadership was moved to another member before the leader was stopped. To do: nothing. */
  leaderMoved: 'LeaderMoved',
  /** The object has had more than 25 events in a short time; this event stands for the newest of them, and its message names them. To do: nothing. */
  eventsCombined: 'EventsCombined',
} as const;

/** Conditions of an EtcdBackup. */
export const backupConditionTypes = {
  /** The last attempt made a backup that was verified. */
  succeeded: 'Succeeded',
  /** A backup is being made. */
  running: 'Running',
  /** Backups that `spec.backupPolicy` does not keep have been deleted. */
  pruned: 'Pruned',
  /** The newest backup that `spec.prove` selects has passed its test restore: it was restored into a temporary member and compared. Present only with `spec.prove`. */
  proven: 'Proven',
  /** The continuous backup records changes of keys. Present only with `spec.continuous`. */
  recording: 'Recording',
  /** The spec has fields that no EtcdBackup has. Present only while the spec has such fields. */
  unknownFields: 'UnknownFields',
  /** The last attempt used Secrets without the label for backups. Present only if the operator manages several namespaces, from the first use of a Secret without this label. */
  secretsUnlabelled: 'SecretsUnlabelled',
} as const;

/** Reasons of conditions of an EtcdBackup. A failed attempt is also reported as an event with the same reason. */
const backupReasons = {
  /** The backup is stored, and its bytes were read back and compared. To do: nothing. */
  verified: 'Verified',
  /** The path of this EtcdBackup holds the backup of another EtcdBackup, which is not overwritten, or the operator cannot find out whose backup it is. To do: choose another path, delete the stored backup, or allow the credentials to read it. */
  pathOccupied: 'PathOccupied',
  /** The backup of another EtcdBackup is being written to the same path. To do: wait until the other backup has finished; then choose another path. */
  pathInUse: 'PathInUse',
  /** The backup store does not hold what etcd sent. The operator deletes the damaged object and retries the backup. To do: wait for the automatic retry; if the stored backup is damaged again, check the backup store and any proxy in front of it. */
  storedDamaged: 'StoredDamaged',
  /** The backup store lists an object twice or lists objects in the wrong order, so the operator deletes no old backup. To do: check the backup store and any proxy in front of it. */
  listingUnsound: 'ListingUnsound',
  /** Stored backups are locked (`objectLock` of `s3`, `abs` or `gcs`, or a policy of the bucket), and cannot be deleted or replaced yet. To do: nothing; the operator deletes old backups after their locks have ended, at its next backup. */
  objectLocked: 'ObjectLocked',
  /** The endpoints belong to different etcd clusters. To do: name the endpoints of only one cluster in `spec.etcdEndpoints`; the message has both cluster IDs. */
  differentClusters: 'DifferentClusters',
  /** The CoreOS etcd-backup-operator has made the backup. To do: nothing. */
  madeBefore: 'MadeBefore',
  /** The backup failed under the CoreOS etcd-backup-operator, which does not retry. To do: change the spec, or create another EtcdBackup. */
  failedBefore: 'FailedBefore',
  /** No backup has been made yet. To do: wait for the first backup, which is due at `status.nextScheduleDate`. */
  pending: 'Pending',
  /** No backup is being made. To do: nothing. */
  idle: 'Idle',
  /** A member is being chosen, and the backup store is being opened. To do: nothing. */
  preparing: 'Preparing',
  /** The snapshot is being sent to the backup store. To do: nothing; `status.progress` shows how much of the backup is uploaded. */
  uploading: 'Uploading',
  /** Older backups have been deleted as `maxBackups` or `keep` of `spec.backupPolicy` says. To do: nothing. */
  pruned: 'Pruned',
  /** A field of the spec has the wrong type: the object was stored before the CRD had a schema. To do: correct the fields of the spec that the message names. */
  specInvalid: 'SpecInvalid',
  /** `spec.etcdEndpoints` is empty. To do: name at least one etcd member in `spec.etcdEndpoints`. */
  noEndpoints: 'NoEndpoints',
  /** An entry of `spec.etcdEndpoints` is not a URL. To do: correct the endpoint that the message names. */
  invalidEndpoint: 'InvalidEndpoint',
  /**
   * An entry of `spec.etcdEndpoints` leads out of the namespace of the object, to the API server, or to a loopback, link-local or metadata
   * address. To do: name a Service or a pod of the namespace in `spec.etcdEndpoints`, set `spec.clusterRef`, or start the operator with `-allow-etcd-endpoints`.
   */
  endpointNotAllowed: 'EndpointNotAllowed',
  /**
   * A password would be sent without TLS out of the namespace, or from a Secret without the label for backups. To do: use an https endpoint, set `spec.clusterRef`, label the Secret, or start the operator with `-allow-etcd-endpoints=http://...`.
   */
  plaintextLogin: 'PlaintextLogin',
  /** The EtcdCluster that `spec.clusterRef` names does not exist. To do: create the EtcdCluster, or correct `spec.clusterRef`; the operator then retries the backup automatically. */
  clusterMissing: 'ClusterMissing',
  /** `spec.backupPolicy` is not valid. To do: correct the field that the message names. */
  invalidPolicy: 'InvalidPolicy',
  /** `spec.storageType` is not known. To do: set `spec.storageType` to S3, ABS, GCS, OSS or Directory. */
  unknownStorage: 'UnknownStorage',
  /** The spec lacks the storage source, or its path, that belongs to `spec.storageType`. To do: add the storage source or path that the message names to the spec. */
  sourceMissing: 'SourceMissing',
  /** The path of the backup is not valid. To do: correct the path in the spec; its form is `<bucket>/<key>`. */
  invalidPath: 'InvalidPath',
  /** A Secret that the spec names does not exist. To do: create the Secret that the message names, or correct its name in the spec. */
  secretMissing: 'SecretMissing',
  /** A Secret lacks a key, or the value of a key cannot be used. To do: correct the Secret that the message names. */
  secretInvalid: 'SecretInvalid',
  /** A Secret lacks the label `etcd.database.coreos.com/use: backup`, and the operator was started with `-require-secret-label`. To do: if the Secret is meant for backups, run the command in the message. */
  secretNotLabelled: 'SecretNotLabelled',
  /** The backup uses Secrets that lack the label `etcd.database.coreos.com/use: backup`; an operator with `-require-secret-label` refuses these Secrets. To do: if the Secrets are meant for backups, run the command in the message. */
  labelMissing: 'LabelMissing',
  /** All Secrets that the backup uses have the label. To do: nothing. */
  allLabelled: 'AllLabelled',
  /**
   * The object names no credentials for the backup store, and the operator does not lend its own to this namespace or this backup store. To do: name a
   * Secret with credentials in the spec, or start the operator with `-ambient-credentials`.
   */
  credentialsNotGranted: 'CredentialsNotGranted',
  /** This operator was started without what this storage type needs. To do: start the operator with the flag that the message names, such as `-backup-directory`. */
  notConfigured: 'NotConfigured',
  /** What etcd sent is not a valid snapshot. To do: wait for the automatic retry; if this retry fails, too, check the disk of the member. */
  snapshotDamaged: 'SnapshotDamaged',
  /** The TLS connection to etcd failed. To do: check `spec.clientTLSSecret` and the names in the server certificate. */
  tlsFailed: 'TLSFailed',
  /** etcd refused the login. To do: correct the login in `spec.auth.secret`; its etcd user needs the role root. */
  authenticationFailed: 'AuthenticationFailed',
  /** No member could be reached, or etcd failed. To do: check the EtcdCluster and the network between it and the operator. */
  etcdUnavailable: 'EtcdUnavailable',
  /** The API server could not be reached. To do: wait for the automatic retry. */
  apiServerUnavailable: 'APIServerUnavailable',
  /** The backup store could not be reached, or failed. To do: check the backup store and the network between it and the operator. */
  storageUnavailable: 'StorageUnavailable',
  /** The bucket does not exist. To do: create the bucket, or correct the path in the spec. */
  bucketMissing: 'BucketMissing',
  /** The backup store refused the credentials. To do: correct the credentials in the Secret, or allow them to read and write in the backup store. */
  accessDenied: 'AccessDenied',
  /** The credentials for the backup store have expired. To do: renew the credentials in the Secret. */
  credentialsExpired: 'CredentialsExpired',
  /** The settings for the backup store are not valid. To do: correct the setting of the backup store that the message names. */
  storageMisconfigured: 'StorageMisconfigured',
  /** The backup store is full. To do: delete data from the backup store, or keep fewer backups: lower `spec.backupPolicy.maxBackups` or the numbers in `spec.backupPolicy.keep`. */
  noSpace: 'NoSpace',
  /** The backup took longer than `spec.backupPolicy.timeoutInSecond`. To do: raise `spec.backupPolicy.timeoutInSecond`, or check the network between etcd, operator and backup store. */
  timeout: 'Timeout',
  /** The test restore of the backup succeeded: revision, HashKV, number of keys and members of the temporary member are as expected. To do: nothing. */
  proven: 'Proven',
  /** The continuous backup stores every change a few seconds after the change was made; `status.recoveryPoint` says up to which time. To do: nothing. */
  changesRecorded: 'ChangesRecorded',
  /** The continuous backup has started, and no change segment is stored yet. To do: wait until the first change segment is stored. */
  recordingStarts: 'RecordingStarts',
  /** The continuous backup starts after the first full backup, which is not made yet. To do: wait for the first full backup; condition `Succeeded` says why there is none yet. */
  waitingForBackup: 'WaitingForBackup',
  /** Changes after the last stored change cannot be read any more: etcd has compacted them, or the cluster was restored. The operator makes a new full backup at once; after that, the continuous backup records changes again. To do: nothing; if changes are missing again, raise `ETCD_AUTO_COMPACTION_RETENTION` in `spec.pod.etcdEnv`, or check which client compacts the cluster. */
  changesMissing: 'ChangesMissing',
  /** No test restore of a backup has finished yet. To do: wait; the message says what the test restore waits for. */
  notProvenYet: 'NotProvenYet',
  /** The stored backup is not what was stored: it is gone, changed, cut short, or encrypted with another key. To do: keep the damaged backup for inspection. Make a new backup at once with another EtcdBackup, and check the backup store and who may write to it. */
  backupDamaged: 'BackupDamaged',
  /** The restore tool of etcd, or etcd itself, does not accept the backup; the message has the end of its output, and the pod is kept. To do: make a new backup at once with another EtcdBackup; if `spec.version` of the EtcdCluster is older than the backup, correct `spec.version`. */
  restoreFailed: 'RestoreFailed',
  /** The restored member is at another revision than the backup. To do: make a new backup at once with another EtcdBackup that sets `spec.prove`, so that the new backup is tested by restoring it; keep the pod that the message names for inspection. */
  revisionDiffers: 'RevisionDiffers',
  /** HashKV of the restored member is not that of the entries in the backup. To do: make a new backup at once with another EtcdBackup that sets `spec.prove`, so that the new backup is tested by restoring it; keep the pod that the message names for inspection. */
  hashDiffers: 'HashDiffers',
  /** The restored member has another number of keys than the backup. To do: make a new backup at once with another EtcdBackup that sets `spec.prove`, so that the new backup is tested by restoring it; keep the pod that the message names for inspection. */
  keyCountDiffers: 'KeyCountDiffers',
  /** The restored member knows members, or the cluster ID, of the cluster that the backup was taken from. To do: report this as a bug, and do not restore this backup while the cluster it was taken from runs. */
  oldMembers: 'OldMembers',
  /** Authentication is enabled in the backup, and the login of the spec is refused or missing. To do: set `spec.auth.secret` of the EtcdBackup or of its EtcdCluster to the login of an etcd user with the role root. A changed password is valid only for backups that are made after the change. */
  proofLoginRefused: 'ProofLoginRefused',
  /** The pod of the test restore did not start or did not finish: it is not known whether the backup is good. To do: do what the message says, such as freeing resources for the pod or making its image available; the operator retries the test restore. */
  proofPodFailed: 'ProofPodFailed',
  /** The backup or the test restore failed for a reason that is not in this list. To do: read the message and the container logs of the operator. */
  unknown: 'Unknown',
  /** Fields of the spec are misspelt, or are those of another operator; they are stored and ignored. To do: correct the field names that the message gives, or remove these fields. */
  notInSchema: 'NotInSchema',
} as const;

/** A reason of a condition of an EtcdBackup. */
export type BackupReason = (typeof backupReasons)[keyof typeof backupReasons];

/** Events on an EtcdBackup. */
export const backupEventReasons = {
  /** A backup is stored and verified. To do: nothing. */
  backupTaken: 'BackupTaken',
  /** This EtcdBackup already has a finished backup, and no second backup is made. To do: create another EtcdBackup to make another backup. */
  backupKept: 'BackupKept',
  /** Older backups that `spec.backupPolicy` does not keep could not be deleted. To do: allow the credentials to delete objects in the backup store; the operator retries the deletion after the next backup. */
  pruningFailed: 'PruningFailed',
  /** Objects and unfinished uploads of failed attempts could not be deleted from the backup store, or the backup store does not say whether they were deleted; `status.leftovers` lists them. To do: allow the credentials to delete objects and to list and abort unfinished uploads; the operator retries the deletion before the next backup. */
  leftoversKept: 'LeftoversKept',
  /** The backup uses a Secret that lacks the label for backups. To do: as for the condition reason `LabelMissing`. */
  secretUnlabelled: 'SecretUnlabelled',
  /** Stored backups of a deleted object could not be deleted yet. To do: allow the credentials to delete objects in the backup store; the operator retries the deletion automatically. */
  deletingBackupsFailed: 'DeletingBackupsFailed',
  /** A stored backup passed its test restore. To do: nothing. */
  backupProven: 'BackupProven',
  /** The continuous backup did not record the changes between two revisions, so no point in time between these revisions can be restored. A later full backup is stored. To do: as for the condition reason `ChangesMissing`. */
  changesMissing: 'ChangesMissing',
  /** Stored backups of a deleted object could not be deleted and are kept. To do: delete them in the backup store. */
  backupsLeftBehind: 'BackupsLeftBehind',
} as const;

/** Conditions of an EtcdRestore. */
export const restoreConditionTypes = {
  /** True when the restore has succeeded, False when it has failed, Unknown while it is in progress. */
  complete: 'Complete',
  /** The spec has fields that no EtcdRestore has. Present only while the spec has such fields. */
  unknownFields: 'UnknownFields',
} as const;

/** Reasons of the condition `Complete` of an EtcdRestore, which are its phases. */
export const restoreReasons = {
  /** The backup is being read and verified. Nothing has been changed. To do: wait until the backup is verified. */
  verifying: 'Verifying',
  /** The EtcdCluster is being checked or created. To do: wait; the message says what the restore waits for. */
  preparing: 'Preparing',
  /** The pods of the members from before the restore are being removed from the Service endpoints. To do: wait until the old pods are removed from the Service endpoints. */
  isolating: 'Isolating',
  /** A safety snapshot of the present data is being taken. To do: wait; the message says why the safety snapshot is not finished yet. */
  savingPresent: 'SavingPresent',
  /** Keys of `spec.prefixes` are being written to the cluster, which keeps serving. To do: wait; the message says how many keys are written, or what the restore waits for. */
  writing: 'Writing',
  /** The seed member of the new incarnation gets the backup and starts. To do: wait until the first member serves the restored data. */
  seeding: 'Seeding',
  /** The restored data serves, and the other members are joining. To do: wait until all members have joined. */
  growing: 'Growing',
  /** The pods of the members from before the restore are being deleted. To do: wait until the old pods are deleted. */
  cleaningUp: 'CleaningUp',
  /** The restored cluster is Available at its full size; with `spec.prefixes`, the keys with these prefixes are as in the backup, or were only counted in a dry run. To do: nothing; delete the volumes in `status.oldVolumes` when you no longer need them. */
  succeeded: 'Succeeded',
  /** The restore failed, and the pods of the members from before the restore become Service endpoints again. To do: wait until the changes of the restore are rolled back. */
  rollingBack: 'RollingBack',
  /** The restore failed; the message says why. The members from before the restore are as they were; with `spec.prefixes`, keys that were already written are not changed back. To do: correct the spec of the EtcdRestore to retry, or create another EtcdRestore. */
  failed: 'Failed',
} as const;
