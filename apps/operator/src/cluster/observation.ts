// SPDX-License-Identifier: Apache-2.0
import type { Desired } from './desired.ts';

/**
 * Everything one decision needs, gathered at one moment. Immutable; the planner sees nothing else.
 *
 * Assumption the planner rests on: Kubernetes objects were read *before* etcd's member list. A member is added to etcd before
 * its volume and pod are made, so a pod or volume seen here whose member is missing from the list belongs to a removed member.
 */
export interface Observation {
  readonly cluster: ClusterFacts;
  /** Pods that carry this cluster's labels, whoever owns them. */
  readonly pods: readonly MemberPod[];
  /** Volume claims that carry this cluster's labels, whoever owns them. */
  readonly volumes: readonly MemberVolume[];
  readonly services: ServiceFacts;
  readonly budget: BudgetFacts;
  readonly etcd: EtcdView;
  /** By node name; only nodes that hold a pod of this cluster, or held one last. */
  readonly nodes: ReadonlyMap<string, NodeFacts>;
  /** Throw-away pods that prove an image on a node. */
  readonly imageChecks: readonly ImageCheck[];
  /** Why the secrets the spec names cannot be used; empty if they can. */
  readonly secretProblems: readonly string[];
  /** Set while an operator of the old kind renews its lock. */
  readonly oldOperator: string | undefined;
  /** The EtcdRestore that recovers this incarnation by itself. Read only while that matters; absent where it was not. */
  readonly recovery?: RecoveryFacts | undefined;
}

/** Whether the operator has begun to recover this incarnation: once, whatever became of it. */
export type RecoveryFacts =
  | { readonly kind: 'none' }
  | { readonly kind: 'begun'; readonly phase: string; readonly reason: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** The custom resource: what is asked for, and what has been recorded about its identity. */
export interface ClusterFacts {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly desired: Desired | { readonly problems: readonly string[] };
  /** Why the administrator does not allow pods of this spec, in sentences. @default none */
  readonly refusals?: readonly string[];
  /** What the administrator does not allow but members that run already have, in sentences. @default none */
  readonly tolerated?: readonly string[];
  /** Paths of fields of the spec that no EtcdCluster has: misspelt ones, or another operator's. @default none */
  readonly unknownFields?: readonly string[];
  readonly paused: boolean;
  readonly deleting: boolean;
  /** The EtcdRestore that creates the next incarnation of this cluster; absent if there is none. */
  readonly restore?: { readonly name: string; readonly uid: string } | undefined;
  /** Where the identity is written on the object itself: `status` and an annotation. */
  readonly recordedInStatus: IdentityRecord | undefined;
  readonly recordedInAnnotation: IdentityRecord | undefined;
  /** True if this is a fresh read from the API server, not from a cache. Required before a seed may be made. */
  readonly isLive: boolean;
  /** The members as they were last reported in `status`. @default none */
  readonly lastMembers?: readonly LastMember[];
  /** The version the cluster was born on, if known: no older write-ahead log entries can exist. */
  readonly bootstrapVersion: string | undefined;
  /** The version all members were last seen to run, from `status`; empty if that is not known. */
  readonly currentVersion: string;
  /** A version whose roll-out failed for this generation of the spec: it is not tried again until the spec changes. */
  readonly failedUpgrade:
    | { readonly version: string; readonly generation: number; readonly message: string }
    | undefined;
}

/** A member as it was last reported: where it ran is known after its pod is gone. */
export interface LastMember {
  readonly name: string;
  readonly id: string;
  readonly isLearner: boolean;
  /** Empty if that is not known. */
  readonly node: string;
}

/** The identity of a cluster's life: raised incarnation means a restore or an explicit re-creation. */
export interface IdentityRecord {
  /** etcd's cluster ID in hexadecimal; empty while only the incarnation is decided. */
  readonly clusterId: string;
  readonly incarnation: number;
}

/** What a pod's etcd would do on an empty data directory. */
export type Boot =
  /** Would found a new cluster. */
  | 'new'
  /** Would join as the member it was added as. */
  | 'existing'
  /** Would exit: nothing valid to boot with. */
  | 'cleared'
  /** Values are fixed in the command line of a pod made by an older operator. */
  | 'fixed';

export interface MemberPod {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly ownership: 'ours' | 'other';
  readonly incarnation: number;
  /** Recorded identity; empty if not recorded yet. */
  readonly clusterId: string;
  readonly memberId: string;
  /** What the cluster was born with, if this pod founded it; empty or absent otherwise. */
  readonly bootstrapVersion?: string;
  readonly boot: Boot;
  /** Peer URLs that a pod that would join names in its boot values, sorted; empty for others. */
  readonly bootPeers: readonly string[];
  readonly markedVoter: boolean;
  /** True if it lacks the label `app`, so that no Service leads to it. */
  readonly isolated?: boolean;
  readonly terminating: boolean;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly ready: boolean;
  /** Another container that keeps the pod from being Ready, although etcd's own is, with the reason: `logger (CrashLoopBackOff)`. */
  readonly brokenSidecar?: string;
  /** When the pod object was made, by the API server's clock: for telling older from younger, never for durations. */
  readonly createdAt: number;
  /** Since when this operator has seen it, by its monotonic clock. */
  readonly seenSince: number;
  readonly node: string;
  readonly ip: string;
  readonly image: string;
  /** Of the annotation `etcd.version`. */
  readonly version: string;
  /** What it ran before an image patch that has not been proven yet; empty otherwise. */
  readonly previousVersion: string;
  readonly previousImage: string;
  /** The container that ran when the image was patched: proof of the patch comes from another one. Empty if none ran. */
  readonly previousContainer: string;
  /** True for pods of CoreOS etcd-operator: restart policy Never, shell probes, fixed arguments. */
  readonly adopted: boolean;
  readonly data: 'claim' | 'emptyDir' | 'memory';
  /** True if its volume was made together with it: no other pod has used it before. */
  readonly freshVolume: boolean;
  /** Whether its listeners speak TLS, as its command line says. */
  readonly peerTLS: boolean;
  readonly clientTLS: boolean;
  readonly container: ContainerFacts;
  /** Ways in which the pod differs from what would be made today; empty if it does not. */
  readonly drift: readonly Drift[];
  /** `ETCD_SNAPSHOT_COUNT` fed by annotation; empty means etcd's default. */
  readonly snapshotCount: string;
}

export interface ContainerFacts {
  readonly id: string;
  readonly state: 'waiting' | 'running' | 'terminated' | 'unknown';
  /** `CrashLoopBackOff`, `ErrImagePull`, `OOMKilled` ... */
  readonly reason: string;
  readonly message: string;
  /** Of the running process, by the node's clock; 0 if none runs. */
  readonly startedAt: number;
  /** Since when this operator has seen that process run, by its monotonic clock; 0 if none runs. */
  readonly runningSince: number;
  /** True if that process has passed its startup probe, by the node's last word. @default false */
  readonly hasStarted?: boolean;
  readonly restarts: number;
  /** What the last process said when it ended with an error. */
  readonly lastExit: { readonly code: number; readonly reason: string; readonly message: string } | undefined;
}

/** One difference between a pod and what the spec asks for, with what it takes to apply it. */
export interface Drift {
  readonly field: string;
  /** `resize`: through the pod's `resize` subresource, without a restart. */
  readonly remedy: 'inPlace' | 'resize' | 'replace';
}

export interface MemberVolume {
  readonly name: string;
  readonly uid: string;
  readonly ownership: 'ours' | 'other';
  readonly incarnation: number;
  readonly clusterId: string;
  readonly memberId: string;
  /** The version that was last started on it; empty if that was not recorded. */
  readonly version: string;
  /** What served from it before, while that version has not been proven; empty otherwise. */
  readonly previousVersion: string;
  /** True for volumes of CoreOS etcd-operator: their files belong to root. */
  readonly adopted: boolean;
  /** Which listeners of its member speak TLS; undefined if that was not recorded. */
  readonly tls: { readonly peer: boolean; readonly client: boolean } | undefined;
  readonly terminating: boolean;
  readonly phase: 'Pending' | 'Bound' | 'Lost';
}

export interface ServiceFacts {
  /** `current` = as it should be, `drifted` = fields of ours were changed. */
  readonly peer: 'missing' | 'current' | 'drifted' | 'foreign';
  readonly client: 'missing' | 'current' | 'drifted' | 'foreign';
}

export interface BudgetFacts {
  readonly minAvailable: number | undefined;
  readonly foreign: boolean;
  /** True if it is ours, but was changed to select other pods or to count differently. */
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
  /** Since when this operator has seen it, by its monotonic clock. */
  readonly seenSince: number;
  readonly result: 'pending' | 'succeeded' | 'failed';
  /** The version the program reported, or why it failed. */
  readonly detail: string;
}

/** etcd's own live view. */
export interface EtcdView {
  readonly membership: Membership;
  /** The oldest minor the cluster still speaks, such as `3.6.0`; empty if no member could be asked. */
  readonly clusterVersion: string;
  /** By pod name: what the etcd in that pod answered just now. */
  readonly answers: ReadonlyMap<string, Answer>;
  /**
   * By pod name: IDs of the members that the etcd in that pod has received something from since it was asked before. Asked for
   * only while a member is in trouble; absent where that is not known. Only a leader hears from every living member.
   */
  readonly heard: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * By pod name: what the voter in that pod says of its data. Asked for only while CORRUPT is raised, because it reads the whole
   * database; absent for those that did not say.
   */
  readonly hashes: ReadonlyMap<string, DataHash>;
}

/** A voter's HashKV. Two can be compared if they are of one revision, and have been compacted up to one revision. */
export interface DataHash {
  /** As `etcdctl endpoint hashkv` prints it. */
  readonly hash: number;
  /** The revision it was asked for. */
  readonly revision: number;
  readonly compactRevision: number;
  /** The revision that the voter itself had reached. */
  readonly reached: number;
}

export type Membership =
  /** A linearizable list, read from a voter: there was a quorum a moment ago. */
  | {
      readonly kind: 'known';
      readonly clusterId: string;
      readonly members: readonly EtcdMember[];
      /** Since when there has been a quorum without a break, as far as this operator has seen, by its monotonic clock. */
      readonly since: number;
    }
  | {
      readonly kind: 'unknown';
      readonly why: string;
      /** Since when there has been no quorum without a break, as far as this operator has seen, by its monotonic clock. */
      readonly since?: number;
      /** Set if members are reachable but refuse access: what a person can do about it. */
      readonly locked?: string;
      /** What a member that answers remembers; may be old, and is used only to start members that never have. */
      readonly remembered?: readonly EtcdMember[];
    };

export interface EtcdMember {
  /** Hexadecimal. */
  readonly id: string;
  /** As the member published it; empty if it never started. */
  readonly name: string;
  /** First DNS label of its first peer URL: the name of its pod. */
  readonly podName: string;
  readonly peerURLs: readonly string[];
  readonly isLearner: boolean;
  /** Since when this operator has seen it listed, by its monotonic clock. */
  readonly seenSince: number;
}

export type Answer =
  | {
      readonly kind: 'status';
      readonly memberId: string;
      readonly clusterId: string;
      readonly version: string;
      /** Empty if the member knows of no leader. */
      readonly leaderId: string;
      /** Since when it has known none, by the operator's monotonic clock; 0 if it knows one. */
      readonly leaderlessSince: number;
      /** Since when it has answered as this member of this cluster, by the operator's monotonic clock. */
      readonly identitySince: number;
      readonly isLearner: boolean;
      readonly revision: number;
      readonly raftIndex: number;
      readonly raftAppliedIndex: number;
      readonly dbSize: number;
      /** etcd's words; an alarm is in there by its name, `NOSPACE` or `CORRUPT`. */
      readonly alarms: readonly string[];
      /** Since when it has answered without a break, as far as this operator has seen, by its monotonic clock. */
      readonly since: number;
      /** How many raft snapshots this process has taken; undefined if it was not asked. */
      readonly raftSnapshots: number | undefined;
      /** The version an enabled downgrade leads to; empty if none is enabled. */
      readonly downgradeTarget: string;
      /** The format of its database, such as `3.6.0`; empty if it does not say. */
      readonly storageVersion: string;
    }
  /**
   * Its client port is closed, but it is up beside it, and has applied so many entries: it joins, and does not know yet that its
   * announcement was heard.
   */
  | { readonly kind: 'peerOnly'; readonly since: number; readonly applied: number }
  | {
      readonly kind: 'unreachable';
      readonly since: number;
      readonly why: string;
      /** True if this pod has not answered once, as far as this operator has seen. */
      readonly neverAnswered?: boolean;
    };
