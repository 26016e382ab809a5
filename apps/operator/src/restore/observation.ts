// SPDX-License-Identifier: Apache-2.0
import type { EtcdClusterSpec } from '../api/etcd-cluster.ts';
import type { RestoreMarker } from '../api/restore-marker.ts';
import type { Desired } from '../cluster/desired.ts';
import type { PodGrants } from '../cluster/grants/pod-grants.ts';

/** Everything one decision about a restore needs, gathered at one moment. Immutable; the planner sees nothing else. */
export interface RestoreObservation {
  readonly restore: RestoreFacts;
  /** Undefined if there is no such EtcdCluster. */
  readonly cluster: TargetFacts | undefined;
  /** Which pods the administrator allows. */
  readonly grants: PodGrants;
  /** Pods of the EtcdCluster, by its UID, of every life. */
  readonly pods: readonly LifePod[];
  /** Pods of another object that are behind this cluster's Services: of one of that name that was deleted. */
  readonly foreignPods: readonly ForeignPod[];
  /** Volume claims of the EtcdCluster, by its UID, of every life. */
  readonly volumes: readonly LifeVolume[];
  /** The pod that the restored data is made in; undefined if it is not there. */
  readonly seed: SeedFacts | undefined;
  /** True if the Secret that the operator and the seed share is there. */
  readonly hasSecret: boolean;
  /** For how long this process has seen it ended, by the monotonic clock, in milliseconds; 0 if it has not. */
  readonly endedFor: number;
  readonly jobs: JobFacts;
}

/** The EtcdRestore: what is asked for, and what has been recorded. */
export interface RestoreFacts {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly hasFinalizer: boolean;
  /** Why the spec cannot be read, in sentences: it was stored before there was a schema. @default none */
  readonly misfits?: readonly string[];
  /** Fields of its spec that this operator does not know. @default none */
  readonly unknownFields?: readonly string[];
  readonly clusterName: string;
  /** Set if the source is what members of the cluster hold, or what the member of this name holds. */
  readonly survivor?: { readonly member: string | undefined } | undefined;
  /** Name of the EtcdCluster, in the same namespace, that the new cluster is a copy of; undefined for any other source. */
  readonly cloneOf?: string | undefined;
  /** Set if the source is a full backup with the changes after it, up to this time or revision. */
  readonly pointInTime?: { readonly time?: string; readonly revision?: number } | undefined;
  /** Set if only keys of these prefixes are restored, into a cluster that serves on. */
  readonly prefixes?: PrefixFacts | undefined;
  readonly safetySnapshot: SafetySnapshotPolicy;
  /** Milliseconds for which old volumes are kept after success; undefined: until they are deleted by hand. */
  readonly retention: number | undefined;
  readonly requireManifest: boolean;
  readonly acceptForeign: boolean;
  /** True: the source is encrypted, and what is said of it must be proven with its key. */
  readonly isEncrypted: boolean;
  readonly revisionBump: number;
  /** Milliseconds from the mark to a seed that serves. */
  readonly timeout: number;
  /** What the EtcdCluster is made as if there is none. */
  readonly clusterSpec: EtcdClusterSpec | undefined;
  /** How it ended, for good. */
  readonly ended: 'succeeded' | 'failed' | undefined;
  /** Why this generation of it failed; what was done is being put back. */
  readonly failure: string | undefined;
  /** The source as it was verified, for this generation. */
  readonly source: SourceFacts | undefined;
  readonly safety: SafetyFacts | undefined;
  /** At which the restored member started, as it was recorded. */
  readonly revision?: number | undefined;
  /** Old volumes that are listed as kept. */
  readonly listedVolumes: readonly string[];
  /** When it ended, milliseconds since the epoch; 0 if it did not. */
  readonly completedAt: number;
  /** When the cluster was marked, milliseconds since the epoch; 0 if it was not. */
  readonly startedAt: number;
}

/** What is asked for of the keys of some prefixes, and what has been recorded. */
export interface PrefixFacts {
  readonly wanted: readonly string[];
  /** True: they are only compared. */
  readonly isDryRun: boolean;
  /** True: what others have written since the comparison is overwritten. */
  readonly overwrites: boolean;
  /** The point in time of the spec, in words; undefined if it asks for none. */
  readonly asked?: string | undefined;
  /** The last comparison that nothing spoke against, and of which generation; undefined if there was none. */
  readonly recorded: (Comparison & { readonly generation: number }) | undefined;
}

/** How the keys of some prefixes differ between a cluster and a backup. */
export interface Comparison {
  /** Of the backup. */
  readonly sha256: string;
  readonly prefixes: readonly string[];
  /** Of the cluster, and its revision then. */
  readonly clusterId: string;
  readonly revision: number;
  readonly puts: number;
  /** Of the puts, keys that the cluster does not have. */
  readonly creates: number;
  /** Of the puts, keys that had a lease in the backup. */
  readonly leased: number;
  /** Of the puts, names and values together. */
  readonly putBytes: number;
  readonly deletes: number;
  readonly unchanged: number;
  /** What the data was made of, if it is that of a point in time: made of another full backup, it would be other bytes. */
  readonly point?: ComparedPoint;
  /** Why they cannot be written as things are, in words. */
  readonly warning?: string;
}

/** A point in time that was compared. */
export interface ComparedPoint {
  /** What the spec asked for, in words. */
  readonly asked: string;
  /** The path of the full backup. */
  readonly snapshot: string;
  /** What was reached. */
  readonly revision: number;
}

/** What a comparison has found. */
export interface ComparedPrefixes {
  readonly source: SourceFacts;
  readonly comparison: Comparison;
  /** What has changed since the comparison before, in words; undefined if nothing, or if there was none. */
  readonly conflict: string | undefined;
}

/** What writing the keys of prefixes has led to. */
export interface WrittenPrefixes {
  /** Of the cluster, after the last transaction. */
  readonly revision: number;
  /** Keys that others have changed after the safety snapshot, and that are left as they are; undefined if there are none. */
  readonly unsaved: UnsavedKeys | undefined;
}

/** Keys whose present value no safety snapshot has. */
export interface UnsavedKeys {
  readonly keys: number;
  /** The first of them, in words, and the revision at which it was changed. */
  readonly first: string;
  readonly revision: number;
}

/** What is asked for of a snapshot of the present data. */
export type SafetySnapshotPolicy = 'Required' | 'IfPossible' | 'Never';

/** A pod that this cluster's Services lead to, and that is another object's. */
export interface ForeignPod {
  readonly name: string;
  readonly node: string;
  /** True if its node is gone or declared out of service: nothing runs there. False also if that cannot be told. */
  readonly isOnLostNode: boolean;
}

/** A source that was looked at; all but `Pending` ones were read to their end. */
export interface SourceFacts {
  readonly path: string;
  readonly bytes: number;
  /** Of the whole object; undefined while it is `Pending`. */
  readonly sha256: string | undefined;
  readonly revision: number;
  /** The revision of its newest entry, if that is another: compaction has removed all newer ones. */
  readonly newestEntry?: number | undefined;
  readonly storageVersion: string | undefined;
  readonly authEnabled: boolean;
  /** Of the cluster that is copied while it serves; undefined for any other source. */
  readonly clusterID?: string;
  /** `Pending`, `Survivor` and `Live`: its bytes are compared on their way to the new member, before anything is built on them. */
  readonly verified: 'Manifest' | 'Embedded' | 'Nothing' | 'Pending' | 'Survivor' | 'Live';
  /** The member whose data it is; undefined for a backup, and until one is chosen. */
  readonly survivor?:
    | { readonly member: string; readonly term: number; readonly index: number; readonly warning?: string }
    | undefined;
  /** What it is made of, if it is the data of a point in time. */
  readonly pointInTime?: PointFacts | undefined;
  /** Whose backup its manifest says it is. Untrusted (operator rule 22). */
  readonly cluster:
    | { readonly name: string; readonly size: number; readonly version: string; readonly storage?: string | undefined }
    | undefined;
  /** The etcd that it was taken from, as its manifest says. Untrusted, too. */
  readonly etcdVersion?: string | undefined;
}

/** A full backup with changes after it. */
export interface PointFacts {
  /** The path of the full backup. */
  readonly snapshot: string;
  /** How many segments of changes lead from it to the point. */
  readonly segments: number;
  /** When the last change that is restored was seen, RFC 3339; of the full backup itself, when it was begun. */
  readonly time: string;
}

/** What was kept of the cluster as it was, or why nothing was. */
export type SafetyFacts =
  | {
      readonly kind: 'kept';
      readonly path: string;
      readonly revision: number;
      readonly bytes: number;
      /** True if its member showed, by a linearizable read, that it had everything that was acknowledged until then. */
      readonly isCurrent: boolean;
      /** Pods of the members that are known to hold nothing beyond it. */
      readonly members: readonly string[];
      /** Which one of this generation it is, of a cluster that serves on. @default 1 */
      readonly round?: number;
    }
  /** `revision`: the highest one that an old member was at; absent if none could be asked. */
  | { readonly kind: 'skipped'; readonly why: string; readonly revision?: number; readonly round?: number };

/** What the spec of a cluster says about the data it can hold. */
export interface ClusterLimits {
  /** Bytes of each member's volume; undefined if members have none. */
  readonly volumeBytes: number | undefined;
  /** What etcd allows its database. */
  readonly quotaBytes: number;
  /** True if the spec names credentials for a cluster whose authentication is enabled. */
  readonly hasLogin: boolean;
}

/** The EtcdCluster that is restored. */
export interface TargetFacts {
  readonly uid: string;
  readonly deleting: boolean;
  readonly desired: Desired | { readonly problems: readonly string[] };
  readonly limits: ClusterLimits;
  /** Why Secrets that its spec names cannot be used. */
  readonly secretProblems: readonly string[];
  readonly marker: RestoreMarker | undefined;
  /**
   * True if the EtcdRestore that set the mark no longer exists: its finalizer was removed by hand, so its changes will not be rolled back.
   */
  readonly markIsOrphaned: boolean;
  /** As recorded on the object: its present life, and its identity in etcd, empty while it has none. */
  readonly incarnation: number;
  readonly clusterId: string;
  /** The highest revision that its members were last seen at; 0 if that is not known. */
  readonly revision: number;
  /** The version that the present incarnation was born with; empty if that is not known. */
  readonly bornVersion: string;
  /** The highest incarnation ever begun. */
  readonly usedIncarnation: number;
  /** UID of the EtcdRestore that brought the present life; empty if none did. */
  readonly restoredBy: string;
  /** UID of the EtcdRestore that the etcd-operator stands back for; empty if for none. */
  readonly acknowledged: string;
  /** True if the etcd-operator reports the present life as available at its full size. */
  readonly isAvailable: boolean;
  /** What the etcd-operator says it waits for. */
  readonly waitingFor: string;
}

export interface LifePod {
  readonly name: string;
  readonly uid: string;
  readonly incarnation: number;
  readonly fenced: boolean;
  readonly ready: boolean;
  /** True if its etcd runs: clients may hold connections to it. */
  readonly running: boolean;
  /** UID of the EtcdRestore that started it for a safety snapshot; empty for all others. */
  readonly startedBy: string;
  /**
   * True if a member's data may be in it and nowhere else: it has not ended, has no volume, and its node is not known to be gone
   * or out of service.
   */
  readonly mayHoldData: boolean;
  readonly terminating: boolean;
  /** True if it should have ended a while ago: its node does not answer, and may never do so again. */
  readonly overdue: boolean;
  /** What is known of it as a survivor; asked for only where a cluster is recovered from one. */
  readonly survivor?: SurvivorFacts | undefined;
}

/** A pod that a cluster may be recovered from. */
export interface SurvivorFacts {
  readonly node: string;
  /** True if its etcd may still run unnoticed: its node does not report, or cannot be read, and is not known to be gone. */
  readonly mayRunUnseen: boolean;
  /** True if it has stopped for good, as one that was evicted. */
  readonly hasEnded: boolean;
  /** True if its data is on a volume. */
  readonly onVolume: boolean;
  /** What was found on its volume; undefined while that is not known. */
  readonly reading: SurvivorReading | undefined;
  /** What its etcd says; undefined while it does not answer. */
  readonly answer:
    | { readonly revision: number; readonly index: number; readonly bytes: number; readonly hasLeader: boolean }
    | undefined;
  /** Why it will not come up by itself; undefined while it may. */
  readonly broken: string | undefined;
  /** What holds it up at the moment, in words. */
  readonly why: string;
}

/** What the log in a member's data directory says. */
export interface LogReading {
  readonly kind: 'log';
  /** Of the last entry. */
  readonly term: number;
  readonly index: number;
  /** Up to where the member knew the log to be committed. */
  readonly commit: number;
  /** How many voters the log says there are, and whether the member is one of them. */
  readonly voters: number;
  readonly isVoter: boolean;
  /** Whose log it is, and who the voters are: hexadecimal, as etcd says it. */
  readonly clusterId: string;
  readonly memberId: string;
  readonly voterIds: readonly string[];
  /** True if its log ends with an incomplete record. */
  readonly isTorn: boolean;
  /** Index and term of the first entry of each term, ascending, from what is surely committed on; empty if that is not known. */
  readonly terms: readonly (readonly [index: number, term: number])[];
  /** The revision of the newest entry in its database, of which its log may add newer ones; 0 if there is none. */
  readonly newestEntry: number;
  /** No revision above it comes of applying all of its log; undefined if its reader does not say. */
  readonly highestRevision?: number;
}

/** What a member's data directory holds. */
export type SurvivorReading =
  | LogReading
  | { readonly kind: 'blank' }
  | { readonly kind: 'unreadable'; readonly why: string };

export interface LifeVolume {
  readonly name: string;
  readonly uid: string;
  readonly incarnation: number;
  readonly terminating: boolean;
  /** True if it should have gone a while ago: a pod that does not end holds it. */
  readonly overdue: boolean;
  /** True once an identity is written to it: the etcd-operator knows by it, too, which life this is. */
  readonly isIdentified: boolean;
  /** UID of the EtcdRestore that replaced its incarnation and kept it; empty if none did. */
  readonly keptBy: string;
  /** Whose data it holds, and what last served from it. */
  readonly member: VolumeMember;
}

export interface VolumeMember {
  readonly clusterId: string;
  readonly memberId: string;
  /** Empty if it was not recorded. */
  readonly version: string;
  /** True if its files belong to root. */
  readonly asRoot: boolean;
}

export interface SeedFacts {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly terminating: boolean;
  readonly ip: string;
  readonly onVolume: boolean;
  /** The version of etcd that it was made with. */
  readonly version: string;
  /** Which run of the agent it is: one that is started again may have lost what it had. Empty if that is not known. */
  readonly agent: string;
  /** True once its identity is written to it: its data is proven, and there is no way back. */
  readonly isIdentified: boolean;
  /** What it is at, in the order in which it comes by. */
  readonly stage: 'pending' | 'waitingForData' | 'restoring' | 'running';
  /** Why it will not come up by itself; undefined while it may. */
  readonly broken: string | undefined;
  /** What holds it up at the moment, in words. */
  readonly why: string;
  readonly answer: SeedAnswer | undefined;
}

/** What the etcd in the seed says. */
export interface SeedAnswer {
  readonly clusterId: string;
  readonly memberId: string;
  readonly revision: number;
  readonly hasLeader: boolean;
  /** Why the credentials of the cluster's spec do not open it; undefined if they do, or none are needed. */
  readonly loginProblem: string | undefined;
}

/** A job that takes longer than a reconciliation: it runs in this process, and starts from the beginning after a crash. */
export interface JobFacts {
  /** Looks at the source without reading it. */
  readonly inspect: JobState<SourceFacts>;
  readonly verify: JobState<SourceFacts>;
  readonly save: JobState<SafetyFacts>;
  /** The source as it arrived. */
  readonly deliver: JobState<SourceFacts>;
  /** Compares keys of prefixes. */
  readonly compare: JobState<ComparedPrefixes>;
  /** Writes keys of prefixes; `bytes` counts keys. */
  readonly write: JobState<WrittenPrefixes>;
}

export type JobState<T> =
  | { readonly kind: 'idle' }
  /** For its turn: others are at work. `lastFailure`: why the attempt before this one failed; undefined for the first. */
  | { readonly kind: 'waiting'; readonly ahead: number; readonly lastFailure?: string | undefined }
  | { readonly kind: 'running'; readonly bytes: number; readonly lastFailure?: string | undefined }
  | { readonly kind: 'done'; readonly value: T }
  /** `passes`: the fault is of a kind that goes away, within `limit` if that is known; it has been there for `failingFor` milliseconds. */
  | {
      readonly kind: 'failed';
      readonly why: string;
      readonly passes: boolean;
      readonly limit?: number;
      readonly failingFor: number;
    };
