// SPDX-License-Identifier: Apache-2.0
import type { Desired } from './desired.ts';

/**
 * Everything that one decision needs, gathered at one moment. It is immutable, and the planner has no other input.
 *
 * The planner relies on this order: Kubernetes objects are read *before* etcd's member list. A member is added to etcd before its volume
 * and pod are created. So a pod or volume whose member is missing from the list belongs to a removed member.
 */
export interface Observation {
  readonly cluster: ClusterFacts;
  /** All pods with this cluster's labels, also those of other owners. */
  readonly pods: readonly MemberPod[];
  /** All PersistentVolumeClaims with this cluster's labels, also those of other owners. */
  readonly volumes: readonly MemberVolume[];
  readonly services: ServiceFacts;
  readonly budget: BudgetFacts;
  readonly etcd: EtcdView;
  /** By node name. Only nodes on which a pod of this cluster runs or last ran. */
  readonly nodes: ReadonlyMap<string, NodeFacts>;
  /** Temporary pods that check an image on a node. */
  readonly imageChecks: readonly ImageCheck[];
  /** Why the Secrets named in the spec cannot be used; empty if they can. */
  readonly secretProblems: readonly string[];
  /** Set while a CoreOS etcd-operator renews its lock. */
  readonly coreosOperator: string | undefined;
  /** The EtcdRestore that recovers this incarnation automatically. It is read only when needed; absent if it was not read. */
  readonly recovery?: RecoveryFacts | undefined;
}

/** Whether the operator has started the automatic recovery of this incarnation. It starts the recovery only once, whatever the result is. */
export type RecoveryFacts =
  | { readonly kind: 'none' }
  | { readonly kind: 'begun'; readonly phase: string; readonly reason: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** The custom resource: the spec, and the recorded identity. */
export interface ClusterFacts {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly desired: Desired | { readonly problems: readonly string[] };
  /** Why the administrator does not allow pods of this spec, in sentences. @default none */
  readonly refusals?: readonly string[];
  /** What the administrator does not allow but running members already have, in sentences. @default none */
  readonly tolerated?: readonly string[];
  /** Paths of fields in the spec that no EtcdCluster has: misspelt fields, or fields of another operator. @default none */
  readonly unknownFields?: readonly string[];
  readonly paused: boolean;
  readonly deleting: boolean;
  /** The EtcdRestore that creates the next incarnation of this cluster; absent if there is none. */
  readonly restore?: { readonly name: string; readonly uid: string } | undefined;
  /** The identity as recorded in `status` and in an annotation of the object. */
  readonly recordedInStatus: IdentityRecord | undefined;
  readonly recordedInAnnotation: IdentityRecord | undefined;
  /** True if the EtcdCluster was just read from the API server, not from a cache. Required before a seed may be created. */
  readonly isLive: boolean;
  /** The members as they were last reported in `status`. @default none */
  readonly lastMembers?: readonly LastMember[];
  /** The version with which the cluster was bootstrapped, if known: the write-ahead log has no entries of older versions. */
  readonly bootstrapVersion: string | undefined;
  /** The version that all members last ran, from `status`; empty if unknown. */
  readonly currentVersion: string;
  /** A version whose rolling update failed for this generation of the spec. It is not tried again until the spec changes. */
  readonly failedUpgrade:
    | { readonly version: string; readonly generation: number; readonly message: string }
    | undefined;
}

/** A member as it was last reported, so that its node is known after its pod is gone. */
export interface LastMember {
  readonly name: string;
  readonly id: string;
  readonly isLearner: boolean;
  /** Empty if unknown. */
  readonly node: string;
}

/** The identity of a cluster. A higher incarnation means a restore or an explicit re-creation. */
export interface IdentityRecord {
  /** etcd's cluster ID in hexadecimal; empty while only the incarnation is known. */
  readonly clusterId: string;
  readonly incarnation: number;
}

/** What the etcd of a pod would do if its data directory were empty. */
export type Boot =
  /** Would bootstrap a new cluster. */
  | 'new'
  /** Would join the cluster as the member that was added for this pod. */
  | 'existing'
  /** Would exit, because its boot configuration is cleared. */
  | 'cleared'
  /** The boot values are fixed in the command line of a pod of CoreOS etcd-operator. */
  | 'fixed';

export interface MemberPod {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly ownership: 'ours' | 'other';
  readonly incarnation: number;
  /** The recorded identity; empty if none is recorded yet. */
  readonly clusterId: string;
  readonly memberId: string;
  /** The version of the cluster at bootstrap, if this is the pod of the first member; empty or absent otherwise. */
  readonly bootstrapVersion?: string;
  readonly boot: Boot;
  /** Sorted peer URLs from the boot values of a pod that would join; empty for other pods. */
  readonly bootPeers: readonly string[];
  readonly markedVoter: boolean;
  /** True if the pod lacks the label `app`, so that it is an endpoint of no Service. */
  readonly isolated?: boolean;
  readonly terminating: boolean;
  /** True if the pod was deleted with a grace period of 0: the API server shows the pod for one moment more, while its process may run on. */
  readonly forced?: boolean;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly ready: boolean;
  /**
   * Another container that keeps the pod from being Ready although the etcd container is ready, with the reason: `logger
   * (CrashLoopBackOff)`.
   */
  readonly brokenSidecar?: string;
  /** When the pod object was created, by the API server's clock. Only for comparing ages of pods, never for durations. */
  readonly createdAt: number;
  /** When this operator first saw it, by its monotonic clock. */
  readonly seenSince: number;
  readonly node: string;
  readonly ip: string;
  readonly image: string;
  /** The value of the annotation `etcd.version`. */
  readonly version: string;
  /** The version that the pod ran before its image was changed; empty once the new image is confirmed. */
  readonly previousVersion: string;
  readonly previousImage: string;
  /** The container that ran when the image was changed: only another container runs the new image. Empty if none ran. */
  readonly previousContainer: string;
  /** True for pods of CoreOS etcd-operator: restart policy Never, shell probes, fixed arguments. */
  readonly adopted: boolean;
  readonly data: 'claim' | 'emptyDir' | 'memory';
  /** True if the volume was created together with the pod: no other pod has used it before. */
  readonly freshVolume: boolean;
  /** Whether the listeners of the pod use TLS, according to its command line. */
  readonly peerTLS: boolean;
  readonly clientTLS: boolean;
  readonly container: ContainerFacts;
  /** How the pod differs from a pod that would be created now; empty if it does not. */
  readonly drift: readonly Drift[];
  /** `ETCD_SNAPSHOT_COUNT` from the annotation; empty means etcd's default. */
  readonly snapshotCount: string;
}

export interface ContainerFacts {
  readonly id: string;
  readonly state: 'waiting' | 'running' | 'terminated' | 'unknown';
  /** `CrashLoopBackOff`, `ErrImagePull`, `OOMKilled` ... */
  readonly reason: string;
  readonly message: string;
  /** Start time of the running process, by the node's clock; 0 if none runs. */
  readonly startedAt: number;
  /** When this operator first saw the process run, by the operator's monotonic clock; 0 if none runs. */
  readonly runningSince: number;
  /** True if the process has passed its startup probe, as the kubelet last reported. @default false */
  readonly hasStarted?: boolean;
  readonly restarts: number;
  /** The output of the last process that ended with an error. */
  readonly lastExit: { readonly code: number; readonly reason: string; readonly message: string } | undefined;
}

/** One difference between a pod and the spec, and what is needed to apply it. */
export interface Drift {
  readonly field: string;
  /** `resize`: by the pod's `resize` subresource, without a restart. */
  readonly remedy: 'inPlace' | 'resize' | 'replace';
}

export interface MemberVolume {
  readonly name: string;
  readonly uid: string;
  readonly ownership: 'ours' | 'other';
  readonly incarnation: number;
  readonly clusterId: string;
  readonly memberId: string;
  /** The version that was last started on the volume; empty if none was recorded. */
  readonly version: string;
  /** The version before `version`; empty once `version` is confirmed. */
  readonly previousVersion: string;
  /** True for volumes of CoreOS etcd-operator: their files belong to root. */
  readonly adopted: boolean;
  /** Which listeners of the member use TLS; undefined if this was not recorded. */
  readonly tls: { readonly peer: boolean; readonly client: boolean } | undefined;
  readonly terminating: boolean;
  readonly phase: 'Pending' | 'Bound' | 'Lost';
}

export interface ServiceFacts {
  /** `current`: the Service is as the operator wants it. `drifted`: fields that the operator sets were changed. */
  readonly peer: 'missing' | 'current' | 'drifted' | 'otherOwner';
  readonly client: 'missing' | 'current' | 'drifted' | 'otherOwner';
}

export interface BudgetFacts {
  readonly minAvailable: number | undefined;
  readonly otherOwner: boolean;
  /** True if the budget is the operator's own but was changed to select other pods or to count differently. */
  readonly drifted?: boolean;
}

export interface NodeFacts {
  readonly exists: boolean;
  readonly ready: boolean;
  readonly schedulable: boolean;
  readonly outOfService: boolean;
}

export interface ImageCheck {
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  readonly image: string;
  /** When this operator first saw it, by its monotonic clock. */
  readonly seenSince: number;
  readonly result: 'pending' | 'succeeded' | 'failed';
  /** The version that the program reported, or why the check failed. */
  readonly detail: string;
}

/** The current view of etcd itself. */
export interface EtcdView {
  readonly membership: Membership;
  /** The lowest minor version that the cluster runs, such as `3.6.0`; empty if no member could be asked. */
  readonly clusterVersion: string;
  /** By pod name: what the etcd in that pod has just answered. */
  readonly answers: ReadonlyMap<string, Answer>;
  /**
   * By pod name: IDs of the members from which the etcd in that pod has received data since the previous reading. Asked only while a voter
   * is not healthy; absent if unknown. Only a leader receives data from every running member.
   */
  readonly heard: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * By pod name: the hash of the data of the voter in that pod. Asked only while CORRUPT is raised, because the voter reads its whole
   * database for it; absent for voters that did not answer.
   */
  readonly hashes: ReadonlyMap<string, DataHash>;
}

/** A voter's HashKV. Two hashes can be compared if they have the same revision and the same compact revision. */
export interface DataHash {
  /** As `etcdctl endpoint hashkv` prints it. */
  readonly hash: number;
  /** The revision for which the hash was requested. */
  readonly revision: number;
  readonly compactRevision: number;
  /** The revision that the voter had reached. */
  readonly reached: number;
}

export type Membership =
  /** A linearizable list, read from a voter: there was a quorum a moment ago. */
  | {
      readonly kind: 'known';
      readonly clusterId: string;
      readonly members: readonly EtcdMember[];
      /** The time since which this operator has seen a quorum without interruption, by its monotonic clock. */
      readonly since: number;
    }
  | {
      readonly kind: 'unknown';
      readonly why: string;
      /** The time since which this operator has seen no quorum, by its monotonic clock. */
      readonly since?: number;
      /** Set if members are reachable but deny access: what a person can do about it. */
      readonly locked?: string;
      /** The list that a reachable member remembers. This list may be outdated, and is used only to start members that have never started. */
      readonly remembered?: readonly EtcdMember[];
    };

export interface EtcdMember {
  /** Hexadecimal. */
  readonly id: string;
  /** The name that the member published; empty if it has never started. */
  readonly name: string;
  /** The first DNS label of the member's first peer URL: the name of its pod. */
  readonly podName: string;
  readonly peerURLs: readonly string[];
  readonly isLearner: boolean;
  /** When this operator first saw the member in the member list, by its monotonic clock. */
  readonly seenSince: number;
}

export type Answer =
  | {
      readonly kind: 'status';
      readonly memberId: string;
      readonly clusterId: string;
      readonly version: string;
      /** Empty if the member has no leader. */
      readonly leaderId: string;
      /** The time since which the member has had no leader, by the operator's monotonic clock; 0 if it has one. */
      readonly leaderlessSince: number;
      /**
       * The time since which the pod has answered as this member of this cluster, by the operator's monotonic clock.
       */
      readonly identitySince: number;
      readonly isLearner: boolean;
      readonly revision: number;
      readonly raftIndex: number;
      readonly raftAppliedIndex: number;
      readonly dbSize: number;
      /** Errors as etcd words them. An alarm is included by its name, `NOSPACE` or `CORRUPT`. */
      readonly alarms: readonly string[];
      /** The time since which the member has answered this operator without interruption, by the operator's monotonic clock. */
      readonly since: number;
      /** How many raft snapshots this etcd process has taken; undefined if the operator did not ask. */
      readonly raftSnapshots: number | undefined;
      /** The target version of an enabled downgrade; empty if none is enabled. */
      readonly downgradeTarget: string;
      /** The storage version of the member's database, such as `3.6.0`; empty if the member does not report one. */
      readonly storageVersion: string;
    }
  /**
   * The client port is closed, but the process runs and has applied this many entries. The member is joining, and opens its client port
   * once it has applied the entry that publishes its name.
   */
  | { readonly kind: 'peerOnly'; readonly since: number; readonly applied: number }
  | {
      readonly kind: 'unreachable';
      readonly since: number;
      readonly why: string;
      /** True if this operator has never seen an answer from this pod. */
      readonly neverAnswered?: boolean;
    };
