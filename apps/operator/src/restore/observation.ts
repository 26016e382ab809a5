// SPDX-License-Identifier: Apache-2.0
import type { EtcdClusterSpec } from '../api/etcd-cluster.ts';
import type { RestoreMarker } from '../api/restore-marker.ts';
import type { Desired } from '../cluster/desired.ts';
import type { PodGrants } from '../cluster/grants/pod-grants.ts';

/** Everything that one decision about a restore needs, gathered at one moment. Immutable; the planner reads nothing else. */
export interface RestoreObservation {
  readonly restore: RestoreFacts;
  /** Undefined if there is no such EtcdCluster. */
  readonly cluster: TargetFacts | undefined;
  /** Which pods the administrator allows. */
  readonly grants: PodGrants;
  /** Pods of the EtcdCluster, by its UID, of every incarnation. */
  readonly pods: readonly ClusterPod[];
  /** Pods of another object that are endpoints of this cluster's Services, for example of a deleted EtcdCluster of the same name. */
  readonly otherOwnerPods: readonly OtherOwnerPod[];
  /** PersistentVolumeClaims of the EtcdCluster, by its UID, of every incarnation. */
  readonly volumes: readonly ClusterVolume[];
  /** The pod of the first member of the restored cluster (the seed), in which the data is restored; undefined if it does not exist. */
  readonly seed: SeedFacts | undefined;
  /** The pod that holds a snapshot of a survivor; undefined if it does not exist. */
  readonly holder?: HolderFacts | undefined;
  /** True if the Secret that the operator shares with the seed exists. */
  readonly hasSecret: boolean;
  /**
   * For how long this process has seen that the restore has ended, by the monotonic clock, in milliseconds; 0 if the restore has not ended.
   */
  readonly endedFor: number;
  readonly jobs: JobFacts;
}

/** The EtcdRestore: its spec, and what its status has recorded. */
export interface RestoreFacts {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly hasFinalizer: boolean;
  /** Why the spec cannot be read, in words for users: the object was stored before the CRD had a schema. @default none */
  readonly typeErrors?: readonly string[];
  /** Fields of its spec that this operator does not know. @default none */
  readonly unknownFields?: readonly string[];
  readonly clusterName: string;
  /** Set if the cluster is recovered from the data of a member. If no name is given, the operator chooses the member. */
  readonly survivor?: { readonly member: string | undefined } | undefined;
  /** Name of the EtcdCluster, in the same namespace, that the new cluster copies; undefined for any other source. */
  readonly cloneOf?: string | undefined;
  /** Set if the source is a full backup with the changes after it, up to this time or revision. */
  readonly pointInTime?: { readonly time?: string; readonly revision?: number } | undefined;
  /** Set if only keys of these prefixes are restored, into a running cluster. */
  readonly prefixes?: PrefixFacts | undefined;
  readonly safetySnapshot: SafetySnapshotPolicy;
  /** Milliseconds for which old volumes are kept after success; undefined: until the user deletes them. */
  readonly retention: number | undefined;
  readonly requireManifest: boolean;
  readonly acceptForeign: boolean;
  /** True: a backup without authentication is restored although the spec of the EtcdCluster names a user. */
  readonly acceptWithoutAuth: boolean;
  /** True if the source is encrypted: its manifest counts only if it was authenticated with the key. */
  readonly isEncrypted: boolean;
  readonly revisionBump: number;
  /** Milliseconds from setting the restore annotation until the seed must serve. */
  readonly timeout: number;
  /** The spec of the EtcdCluster to create if none exists. */
  readonly clusterSpec: EtcdClusterSpec | undefined;
  /** The final result; undefined while the restore has not ended. */
  readonly ended: 'succeeded' | 'failed' | undefined;
  /** Why this generation of the restore failed; its changes are being rolled back. */
  readonly failure: string | undefined;
  /** The source as verified for this generation. */
  readonly source: SourceFacts | undefined;
  readonly safety: SafetyFacts | undefined;
  /** The recorded revision at which the restored member started. */
  readonly revision?: number | undefined;
  /** Old volumes that the status lists as kept. */
  readonly listedVolumes: readonly string[];
  /** When the restore ended, milliseconds since the epoch; 0 if it has not. */
  readonly completedAt: number;
  /** When the cluster got the restore annotation, milliseconds since the epoch; 0 if it has not. */
  readonly startedAt: number;
}

/** What the spec says about the keys of some prefixes, and what the status has recorded. */
export interface PrefixFacts {
  readonly wanted: readonly string[];
  /** True: the keys are only compared. */
  readonly isDryRun: boolean;
  /** True: what other clients have written since the comparison is overwritten. */
  readonly overwrites: boolean;
  /** The point in time from the spec, as text; undefined if the spec has none. */
  readonly asked?: string | undefined;
  /** The last comparison that the status has recorded, and its generation; undefined if there is none. */
  readonly recorded: (Comparison & { readonly generation: number }) | undefined;
}

/** How the keys of some prefixes differ between a cluster and a backup. */
export interface Comparison {
  /** Hash of the backup. */
  readonly sha256: string;
  readonly prefixes: readonly string[];
  /** Cluster ID, and the revision of the cluster at the comparison. */
  readonly clusterId: string;
  readonly revision: number;
  readonly puts: number;
  /** How many of the puts create keys that the cluster does not have. */
  readonly creates: number;
  /** How many of the puts are for keys that had a lease in the backup. */
  readonly leased: number;
  /** Total bytes of the names and values of the puts. */
  readonly putBytes: number;
  readonly deletes: number;
  readonly unchanged: number;
  /** For a point in time: the full backup that the data was built from. From another full backup, the data would have other bytes. */
  readonly point?: ComparedPoint;
  /** Why the keys cannot be written at present, as text. */
  readonly warning?: string;
}

/** A point in time that was compared. */
export interface ComparedPoint {
  /** What the spec asked for, as text. */
  readonly asked: string;
  /** The path of the full backup. */
  readonly snapshot: string;
  /** The revision that was reached. */
  readonly revision: number;
}

/** The result of a comparison. */
export interface ComparedPrefixes {
  readonly source: SourceFacts;
  readonly comparison: Comparison;
  /** What has changed since the previous comparison, as text; undefined if nothing changed, or if there was none. */
  readonly conflict: string | undefined;
}

/** The result of writing the keys of prefixes. */
export interface WrittenPrefixes {
  /** Revision of the cluster after the last transaction. */
  readonly revision: number;
  /** Keys that other clients have changed after the safety snapshot, and that were not overwritten; undefined if there are none. */
  readonly unsaved: UnsavedKeys | undefined;
}

/** Keys whose present value is in no safety snapshot. */
export interface UnsavedKeys {
  readonly keys: number;
  /** The first of these keys, as text, and the revision at which it was changed. */
  readonly first: string;
  readonly revision: number;
}

/** Whether a snapshot of the present data is required. */
export type SafetySnapshotPolicy = 'Required' | 'IfPossible' | 'Never';

/** A pod of another object that is an endpoint of this cluster's Services. */
export interface OtherOwnerPod {
  readonly name: string;
  readonly node: string;
  /** True if the node of the pod is gone or declared out of service: nothing runs there. False also if the node cannot be read. */
  readonly isOnLostNode: boolean;
}

/** A source that was inspected. `verified` says whether it was also read to its end. */
export interface SourceFacts {
  readonly path: string;
  readonly bytes: number;
  /** Hash of the whole object; undefined while `verified` is `Pending`. */
  readonly sha256: string | undefined;
  readonly revision: number;
  /** The revision of the newest entry, if it differs from `revision`: compaction has removed all newer entries. */
  readonly newestEntry?: number | undefined;
  readonly storageVersion: string | undefined;
  readonly authEnabled: boolean;
  /** ID of the cluster that is copied while it serves; undefined for any other source. */
  readonly clusterID?: string;
  /**
   * With `Manifest`, `Embedded` and `Nothing`, the source was read to its end. With `Pending`, `Survivor` and `Live`, the bytes are
   * compared during the transfer to the new member, before anything depends on them.
   */
  readonly verified: 'Manifest' | 'Embedded' | 'Nothing' | 'Pending' | 'Survivor' | 'Live';
  /** The member that has the data; undefined for a backup, and until a member is chosen. */
  readonly survivor?:
    | { readonly member: string; readonly term: number; readonly index: number; readonly warning?: string }
    | undefined;
  /** The full backup and the changes that the data is built from, if it is the data of a point in time. */
  readonly pointInTime?: PointFacts | undefined;
  /** The cluster that the backup is of, according to its manifest. Untrusted (operator rule 22). */
  readonly cluster:
    | { readonly name: string; readonly size: number; readonly version: string; readonly storage?: string | undefined }
    | undefined;
  /** The version of the etcd that the backup was taken from, according to its manifest. Also untrusted. */
  readonly etcdVersion?: string | undefined;
}

/** A full backup with changes after it. */
export interface PointFacts {
  /** The path of the full backup. */
  readonly snapshot: string;
  /** The number of change segments from the full backup to the point. */
  readonly segments: number;
  /** When the last restored change was observed, RFC 3339; without changes, when the full backup began. */
  readonly time: string;
}

/** The safety snapshot of the present data, or why there is none. */
export type SafetyFacts =
  | {
      readonly kind: 'kept';
      readonly path: string;
      readonly revision: number;
      readonly bytes: number;
      /** True if the member showed, by a linearizable read, that it had every write acknowledged until then. */
      readonly isCurrent: boolean;
      /** Pods of the members that are known to have no data beyond the snapshot. */
      readonly members: readonly string[];
      /** The number of the snapshot within this generation, if the cluster continues to serve. @default 1 */
      readonly round?: number;
    }
  /** `revision`: the highest revision of any old member; absent if no member could be asked. */
  | { readonly kind: 'skipped'; readonly why: string; readonly revision?: number; readonly round?: number };

/** How much data the cluster can hold, according to its spec. */
export interface ClusterLimits {
  /** Bytes of each member's volume; undefined if members have no volumes. */
  readonly volumeBytes: number | undefined;
  /** The quota of etcd's database. */
  readonly quotaBytes: number;
  /** True if the spec names credentials, which are needed if authentication is enabled in etcd. */
  readonly hasLogin: boolean;
}

/** The EtcdCluster that is restored. */
export interface TargetFacts {
  readonly uid: string;
  readonly deleting: boolean;
  readonly desired: Desired | { readonly problems: readonly string[] };
  readonly limits: ClusterLimits;
  /** Why the Secrets that its spec names cannot be used. */
  readonly secretProblems: readonly string[];
  readonly marker: RestoreMarker | undefined;
  /**
   * True if the EtcdRestore that set the annotation no longer exists: its finalizer was removed by hand, so its changes will not be rolled
   * back.
   */
  readonly markIsOrphaned: boolean;
  /** As recorded on the object: its present incarnation, and its etcd cluster ID, which is empty while it has none. */
  readonly incarnation: number;
  readonly clusterId: string;
  /** The last known highest revision of its members; 0 if it is not known. */
  readonly revision: number;
  /** The etcd version that the present incarnation was created with; empty if it is not known. */
  readonly bootstrapVersion: string;
  /** The highest incarnation that was ever begun. */
  readonly usedIncarnation: number;
  /** UID of the EtcdRestore that created the present incarnation; empty if none did. */
  readonly restoredBy: string;
  /** UID of the EtcdRestore for which the etcd-operator has suspended reconciliation; empty if for none. */
  readonly acknowledged: string;
  /** True if the etcd-operator reports the present incarnation as available at its full size. */
  readonly isAvailable: boolean;
  /** What the etcd-operator reports that it waits for. */
  readonly waitingFor: string;
}

export interface ClusterPod {
  readonly name: string;
  readonly uid: string;
  readonly incarnation: number;
  readonly isolated: boolean;
  readonly ready: boolean;
  /** True if the etcd in the pod runs: clients may have connections to it. */
  readonly running: boolean;
  /** UID of the EtcdRestore that started the pod for a safety snapshot; empty for all others. */
  readonly startedBy: string;
  /**
   * True if the pod may have the only copy of a member's data: it has not ended, has no volume, and its node is not known to be gone or out
   * of service.
   */
  readonly mayHoldData: boolean;
  readonly terminating: boolean;
  /** True if the pod should have ended a while ago: its node does not answer, and may never answer again. */
  readonly overdue: boolean;
  /** Facts about the pod as a survivor; read only if a cluster is recovered from one. */
  readonly survivor?: SurvivorFacts | undefined;
}

/** What is known about a pod of a member from whose data the cluster may be recovered. */
export interface SurvivorFacts {
  readonly node: string;
  /** True if the etcd in the pod may still run unobserved: the node of the pod does not report, or cannot be read, and is not known to be gone. */
  readonly mayRunUnseen: boolean;
  /** True if the pod has stopped for good, for example because it was evicted. */
  readonly hasEnded: boolean;
  /** True if the data of the pod is on a volume. */
  readonly onVolume: boolean;
  /** What was read from the pod's volume; undefined while that is not known. */
  readonly reading: SurvivorReading | undefined;
  /** The answer of its etcd; undefined while it does not answer. */
  readonly answer:
    | {
        readonly revision: number;
        readonly index: number;
        /**
         * The last index that the member has applied: a snapshot that is taken after this answer contains all entries up to this index.
         * @default undefined: not known
         */
        readonly applied?: number;
        readonly bytes: number;
        readonly hasLeader: boolean;
      }
    | undefined;
  /** Why the pod will not start without help; undefined while it still may start. */
  readonly broken: string | undefined;
  /** What delays the pod at the moment, as text. */
  readonly why: string;
}

/** The content of the log in a member's data directory. */
export interface LogReading {
  readonly kind: 'log';
  /** Of the last entry in the log. */
  readonly term: number;
  readonly index: number;
  /** The last index that the member knew to be committed. */
  readonly commit: number;
  /** The number of voters according to the log, and whether the member is one of them. */
  readonly voters: number;
  readonly isVoter: boolean;
  /** The cluster, the member and the voters of the log. IDs are hexadecimal, as etcd prints them. */
  readonly clusterId: string;
  readonly memberId: string;
  readonly voterIds: readonly string[];
  /** True if the log of the member ends with an incomplete record, or if the end of the log was cut off. */
  readonly isTorn: boolean;
  /**
   * Index and term of the first entry of each term, ascending. The list begins at an index that is certainly committed; it is empty if no
   * such index is known.
   */
  readonly terms: readonly (readonly [index: number, term: number])[];
  /** The revision of the newest entry in its database; the log may have newer entries. 0 if there is none. */
  readonly newestEntry: number;
  /**
   * The highest revision that the member can reach by applying its whole log; undefined if the agent that read the log does not report it.
   */
  readonly highestRevision?: number;
}

/** The content of a member's data directory. */
export type SurvivorReading =
  | LogReading
  | { readonly kind: 'blank' }
  /** `isDamaged`: its files are damaged or missing, so that another attempt finds the same. @default false */
  | { readonly kind: 'unreadable'; readonly why: string; readonly isDamaged?: boolean };

/** A pod with a snapshot of a member that ran on a volume, taken before that member is stopped. */
export interface HolderFacts
  extends Pick<SeedFacts, 'name' | 'uid' | 'terminating' | 'ip' | 'agent' | 'stage' | 'broken' | 'why'>,
    HeldMember {
  /** The answer of its etcd, which serves the snapshot alone. */
  readonly answer: SurvivorFacts['answer'];
  /** True once the restore tool is disabled: the pod may start again with its data. */
  readonly isSettled: boolean;
}

/** The member whose snapshot is held. */
export interface HeldMember {
  readonly member: string;
  /** UID of the pod that the snapshot is taken from. A pod with another UID shows that the member was stopped. */
  readonly podUid: string;
  /** The last index that the member knew to be committed. Without a leader this does not change. */
  readonly index: number;
  /** The last index that the member had applied before the snapshot was taken. @default undefined: not known */
  readonly applied?: number;
}

export interface ClusterVolume {
  readonly name: string;
  readonly uid: string;
  readonly incarnation: number;
  readonly terminating: boolean;
  /** True if the volume should have been deleted a while ago: a pod that is stuck terminating still uses it. */
  readonly overdue: boolean;
  /** True once a cluster ID is recorded at the volume. From then on the etcd-operator knows the incarnation, too. */
  readonly isIdentified: boolean;
  /** UID of the EtcdRestore that replaced the incarnation of the volume and kept the volume; empty if none did. */
  readonly keptBy: string;
  /** The member whose data the volume has, and the etcd version that last served from the volume. */
  readonly member: VolumeMember;
}

export interface VolumeMember {
  readonly clusterId: string;
  readonly memberId: string;
  /** The version of etcd; empty if it was not recorded. */
  readonly version: string;
  /** True if the files on the volume belong to root. */
  readonly asRoot: boolean;
}

export interface SeedFacts {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly terminating: boolean;
  readonly ip: string;
  readonly onVolume: boolean;
  /** The etcd version that it was created with. */
  readonly version: string;
  /** Identifies the run of the agent: an agent that was restarted may have lost its data. Empty if it is not known. */
  readonly agent: string;
  /** True once the pod has its cluster ID as an annotation: its data is verified, and the restore can no longer be rolled back. */
  readonly isIdentified: boolean;
  /** The present stage of the pod; the stages follow each other in this order. */
  readonly stage: 'pending' | 'waitingForData' | 'restoring' | 'running';
  /** Why the pod will not start without help; undefined while it still may start. */
  readonly broken: string | undefined;
  /** What delays the pod at the moment, as text. */
  readonly why: string;
  readonly answer: SeedAnswer | undefined;
}

/** The answer of the etcd in the seed. */
export interface SeedAnswer {
  readonly clusterId: string;
  readonly memberId: string;
  readonly revision: number;
  readonly hasLeader: boolean;
  /** Why the credentials in the cluster's spec are rejected; undefined if they are accepted, or none are needed. */
  readonly loginProblem: string | undefined;
}

/** Jobs that take longer than a reconciliation: they run in this process, and start from the beginning after a crash. */
export interface JobFacts {
  /** Inspects the source without reading it to its end. */
  readonly inspect: JobState<SourceFacts>;
  readonly verify: JobState<SourceFacts>;
  readonly save: JobState<SafetyFacts>;
  /** The source as it arrived at the new member. */
  readonly deliver: JobState<SourceFacts>;
  /** Compares keys of prefixes. */
  readonly compare: JobState<ComparedPrefixes>;
  /** Writes keys of prefixes; `bytes` counts keys. */
  readonly write: JobState<WrittenPrefixes>;
}

export type JobState<T> =
  | { readonly kind: 'idle' }
  /** Waiting for its turn, behind other restores. `lastFailure`: why the previous attempt failed; undefined for the first. */
  | { readonly kind: 'waiting'; readonly ahead: number; readonly lastFailure?: string | undefined }
  | { readonly kind: 'running'; readonly bytes: number; readonly lastFailure?: string | undefined }
  | { readonly kind: 'done'; readonly value: T }
  /**
   * `passes`: the failure counts as temporary, but only for `limit` milliseconds if that is set. The job has been failing for `failingFor`
   * milliseconds.
   */
  | {
      readonly kind: 'failed';
      readonly why: string;
      readonly passes: boolean;
      readonly limit?: number;
      readonly failingFor: number;
    };
