// SPDX-License-Identifier: Apache-2.0
import { counted, isOrAre } from '../counted.ts';

/**
 * Every step that can destroy data or remove a vote must pass this check: removing a member as dead, deleting a pod or volume that may hold
 * data, bootstrapping, isolating, restoring. Each kind of step has a list of named objections. Each objection examines the evidence and can
 * prevent the step alone. An unknown fact counts as an objection where it matters (safety rules 13 to 15). Pure: the caller gathers the
 * facts, and decides what to do instead.
 */
export function objectionsTo<K extends keyof Subjects>(action: K, subject: Subjects[K]): readonly Objection[] {
  return Object.entries(checks[action]).flatMap(([name, check]) => {
    const evidence = check(subject);
    return evidence === undefined ? [] : [{ name, evidence }];
  });
}

/** A reason why a step must not be taken now. */
export interface Objection {
  /** Stable, because tests, logs and documentation use it. */
  readonly name: string;
  /** The evidence against the step: a clause for users that fits after "because". */
  readonly evidence: string;
}

/** The facts by which each kind of step is judged. */
export interface Subjects {
  readonly removeDeadMember: DeadMember;
  readonly removeCorruptMember: CorruptMember;
  readonly admitMember: Admission;
  readonly disarmAlarm: { readonly isSettled: boolean };
  readonly deletePod: PodToDelete;
  readonly deleteVolume: VolumeToDelete;
  readonly bootstrap: BootstrapFacts;
  readonly isolate: Isolation;
  readonly restore: NewIncarnation;
  readonly recoverQuorum: LostQuorum;
  readonly deleteOldPod: OldPod;
  readonly deleteOldVolume: OldVolume;
}

/** One sign that a member is dead. Two signs are independent if they come from different sources. */
export interface Evidence {
  readonly source: 'operator' | 'kubernetes' | 'peers' | 'etcd';
  readonly what: string;
}

/** A member that would be removed because it seems dead. */
export interface DeadMember {
  readonly evidence: readonly Evidence[];
  /** True if Kubernetes is deleting the pod of the member together with its data, whatever the operator decides. @default false */
  readonly isLeaving?: boolean;
  /** True if the pod of the member is Ready, and the node of that pod is Ready or cannot be read. */
  readonly isReady: boolean;
  /** Members that received data from this member a moment ago. */
  readonly heardBy: readonly string[];
  /** True while the etcd process of the member opens its data. */
  readonly isBooting: boolean;
  /** True if the member is OOMKilled repeatedly: a new member would be OOMKilled as well. */
  readonly isOutOfMemory: boolean;
  /** True while etcd has raised CORRUPT and it is not known which data is right: this member may have the right data. @default false */
  readonly isDisputed?: boolean;
  /**
   * How long the operator has waited for the member while there was a quorum, and how long it must wait, in milliseconds. Both are 0 if the
   * data of the member is gone.
   */
  readonly waited: number;
  readonly patience: number;
  /**
   * Number of healthy voters without this member, and how many are needed then. Absent if only the state of the member is judged, or if the
   * member has no vote.
   */
  readonly remaining?: { readonly healthy: number; readonly needed: number };
}

/**
 * A voter that would be removed because its data differs. etcd reports that the data of some member differs, and a comparison of hashes
 * shows which member it is.
 */
export interface CorruptMember {
  /** True while etcd has raised CORRUPT. */
  readonly isRaised: boolean;
  /** True if the hash of this voter at one revision differs from the hash of the agreeing voters. */
  readonly isDeviating: boolean;
  /** How many voters have the same hash, and how many voters there are. */
  readonly agreeing: number;
  readonly voters: number;
  /** Number of healthy voters without this member, and how many are needed then. */
  readonly remaining: { readonly healthy: number; readonly needed: number };
}

/** A member that would be added, started for the first time, or promoted to a voter. */
export interface Admission {
  /** True while etcd has raised CORRUPT. */
  readonly isCorrupt: boolean;
  /** True if etcd already lists the member, so that the member only has to start. */
  readonly isListed: boolean;
  /** True if the leader, which sends its data to this member, is known to have the same data as a majority of the voters. */
  readonly isSourceSound: boolean;
}

/** A pod that would be deleted together with the data in it. */
export interface PodToDelete {
  /** True if etcd lists the member of this pod, the member has started, and the pod holds the only copy of its data. */
  readonly holdsMemberData: boolean;
  /** True if the etcd in the pod has just answered as a listed member. */
  readonly answersAsMember: boolean;
  /** True if the pod is Ready and holds the only copy of its data. If it is Ready, its member is still in the cluster. */
  readonly isReady: boolean;
  /** True if the pod would be deleted without waiting for its node, which may still run the pod. */
  readonly isForced: boolean;
  /** True if the node of the pod is gone or tainted out-of-service; false if that is not known. */
  readonly isNodeLost: boolean;
  /** True while etcd has raised CORRUPT, it is unknown which data is right, and deleting the pod would delete its data. @default false */
  readonly isDisputed?: boolean;
}

/** A volume that would be deleted. */
export interface VolumeToDelete {
  /** True if a member that etcd lists has its data on this volume. */
  readonly isListed: boolean;
  /** True if a pod with the name of this volume exists. */
  readonly isInUse: boolean;
  /** True if the identity of a member is recorded on this volume. */
  readonly isRecorded: boolean;
  /** True if the desired number of voters is healthy without the data on this volume. */
  readonly isReplaced: boolean;
  /** True if the volume prevents the start of a listed voter with the same name, whose vote is missing until the volume is gone. */
  readonly isInTheWay: boolean;
  /** True while etcd has raised CORRUPT: the volume may hold data that the other members lack. @default false */
  readonly isCorrupt?: boolean;
}

/** A cluster that would be bootstrapped without data. */
export interface BootstrapFacts {
  /**
   * Each field is a sentence about one sign that this cluster existed before, or that an object exists which would be mistaken for a part
   * of this cluster.
   */
  readonly earlierIncarnation: string | undefined;
  readonly ownPod: string | undefined;
  readonly ownVolume: string | undefined;
  readonly staleSeedVolume: string | undefined;
  readonly podOfOtherOwner: string | undefined;
  readonly secretProblem: string | undefined;
}

/** A pod that would be removed from the Service endpoints, because an EtcdRestore replaces its incarnation. */
export interface Isolation {
  /**
   * True if the etcd-operator has acknowledged the EtcdRestore. Otherwise the etcd-operator would replace the isolated members, because it
   * can no longer reach them.
   */
  readonly isAcknowledged: boolean;
  /** True if every byte of the backup was read and compared, or if there is no backup because the source is the data of the old members. */
  readonly isSourceVerified: boolean;
}

/** A new incarnation that would be created from a backup and replace the present one. */
export interface NewIncarnation {
  readonly policy: 'Required' | 'IfPossible' | 'Never';
  /** `notCurrent`: a snapshot is stored, but its member could not show that no other member has newer data. */
  readonly snapshot: 'stored' | 'notCurrent' | 'none' | 'unknown';
  /** Old pods that are Ready: they serve clients even if the operator cannot reach them. Excludes pods that the stored snapshot covers. */
  readonly readyPods: readonly string[];
  /** Old volumes with data of a member that the stored snapshot does not cover. */
  readonly volumes: readonly string[];
  /** Other old pods that may have data of a member outside a volume, and that the stored snapshot does not cover. */
  readonly podsWithData: readonly string[];
  /** True if an old member answered, even if its data could not be stored. */
  readonly isAnswered: boolean;
  /** Old pods that are still endpoints of the Services. */
  readonly unisolatedPods: readonly string[];
}

/** A cluster that would be recovered automatically from its remaining members. Writes that only the other members have would be lost. */
export interface LostQuorum {
  /** Voters that are reachable and have no leader. */
  readonly survivors: readonly string[];
  /** Why a voter may return, or why this is unknown: one clause each. */
  readonly mayReturn: readonly string[];
  /** Number of voters whose data is gone, number of all voters, and number of voters that are a quorum. */
  readonly gone: number;
  readonly voters: number;
  readonly needed: number;
  /** Ready pods. They serve clients even if the operator cannot reach them. */
  readonly readyPods: readonly string[];
  /** Whether this recovery was started before, for this incarnation. */
  readonly attempt: 'none' | 'begun' | 'unknown';
  /** True while a member reports CORRUPT. */
  readonly isCorrupt: boolean;
  /** How long there has been no quorum, in milliseconds: the shortest of the times that the operator has seen and that the members report. */
  readonly waited: number;
  readonly patience: number;
}

/** A pod of the previous incarnation that would be deleted. */
export interface OldPod {
  /** True if the new incarnation is Available at its full size. */
  readonly isReplaced: boolean;
  /** True if the restore started the pod to take a snapshot from its volume. */
  readonly isStartedForSnapshot: boolean;
  /** True if the data of the pod is on a volume that is kept, from which a restore recovers the cluster. @default false */
  readonly isReadFromVolume?: boolean;
}

/** A volume of the previous incarnation that would be deleted. Durations in milliseconds. */
export interface OldVolume {
  readonly isReplaced: boolean;
  /** True if this restore kept the volume: a restore must not delete volumes that another restore kept. */
  readonly isKeptByThisRestore: boolean;
  /** For how long the volume is kept; undefined if it is kept until a user deletes it. */
  readonly retention: number | undefined;
  /** For how long the volume has been kept, by the wall clock, which may be wrong. */
  readonly keptFor: number;
  /** For how long this process has seen that the volume is kept, by the monotonic clock. */
  readonly seenFor: number;
  /** Pods that mount the volume. */
  readonly usedBy: readonly string[];
}

type Checks = {
  readonly [K in keyof Subjects]: Readonly<Record<string, (subject: Subjects[K]) => string | undefined>>;
};

const objectIf = (applies: boolean, evidence: string) => (applies ? evidence : undefined);

const disputed = 'etcd has raised CORRUPT, and the data that would be lost may be the valid copy';

function tooFewWithout({ healthy, needed }: { readonly healthy: number; readonly needed: number }): string | undefined {
  return objectIf(
    healthy < needed,
    `${counted(healthy, 'healthy voter')} would remain, ${needed} ${isOrAre(needed)} needed`,
  );
}

const checks: Checks = {
  removeDeadMember: {
    PodReady: ({ isReady, isLeaving }) => objectIf(isReady && !isLeaving, 'its pod is Ready'),
    HeardByPeers: ({ heardBy, isLeaving }) =>
      objectIf(
        heardBy.length > 0 && !isLeaving,
        `${heardBy.join(' and ')} received data from this member a moment ago`,
      ),
    SingleEvidence: ({ evidence, isLeaving }) =>
      objectIf(
        !isLeaving && new Set(evidence.map(({ source }) => source)).size < 2,
        `there is only one sign that it is dead (${evidence.map(({ what }) => what).join(', ') || 'none'})`,
      ),
    Booting: ({ isBooting }) => objectIf(isBooting, 'etcd is opening its data'),
    OutOfMemory: ({ isOutOfMemory }) => objectIf(isOutOfMemory, 'it is OOMKilled repeatedly'),
    StillPatient: ({ waited, patience }) =>
      objectIf(waited < patience, `it may be unreachable for ${Math.round(patience / 1000)} s before it is replaced`),
    QuorumWithoutIt: ({ remaining }) => remaining && tooFewWithout(remaining),
    DataDisputed: ({ isDisputed = false, patience }) => objectIf(isDisputed && patience > 0, disputed),
  },
  removeCorruptMember: {
    NoAlarm: ({ isRaised }) => objectIf(!isRaised, 'etcd has not raised CORRUPT'),
    NotDeviating: ({ isDeviating }) =>
      objectIf(!isDeviating, 'its data has not been shown to differ from the majority'),
    NoMajority: ({ agreeing, voters }) =>
      objectIf(
        agreeing * 2 <= voters,
        `only ${agreeing} of ${counted(voters, 'voter')} ${isOrAre(agreeing, voters)} known to hold the same data`,
      ),
    QuorumWithoutIt: ({ remaining }) => tooFewWithout(remaining),
  },
  admitMember: {
    CorruptSource: ({ isCorrupt, isListed, isSourceSound }) =>
      objectIf(
        isCorrupt && !(isListed && isSourceSound),
        'etcd has raised CORRUPT, and a new member may receive data that differs',
      ),
  },
  disarmAlarm: {
    DataDiffers: ({ isSettled }) => objectIf(!isSettled, 'not all voters are known to hold the same data'),
  },
  deletePod: {
    HoldsMemberData: ({ holdsMemberData }) =>
      objectIf(holdsMemberData, 'it holds the only copy of the data of a listed member'),
    AnswersAsMember: ({ answersAsMember }) => objectIf(answersAsMember, 'its etcd answers as a listed member'),
    PodReady: ({ isReady }) => objectIf(isReady, 'it is Ready'),
    NodeMayRunIt: ({ isForced, isNodeLost }) =>
      objectIf(isForced && !isNodeLost, 'its node may still be running the pod'),
    DataDisputed: ({ isDisputed = false }) => objectIf(isDisputed, disputed),
  },
  deleteVolume: {
    MemberListed: ({ isListed }) => objectIf(isListed, 'etcd lists the member whose data it holds'),
    InUse: ({ isInUse }) => objectIf(isInUse, 'a pod uses it'),
    ReplacementUnproven: ({ isRecorded, isReplaced, isInTheWay }) =>
      objectIf(isRecorded && !isReplaced && !isInTheWay, 'its replacement is not healthy yet'),
    DataDisputed: ({ isRecorded, isCorrupt = false }) => objectIf(isRecorded && isCorrupt, disputed),
  },
  bootstrap: {
    EarlierIncarnation: ({ earlierIncarnation }) => earlierIncarnation,
    OwnPod: ({ ownPod }) => ownPod,
    OwnVolume: ({ ownVolume }) => ownVolume,
    StaleSeedVolume: ({ staleSeedVolume }) => staleSeedVolume,
    PodOfOtherOwner: ({ podOfOtherOwner }) => podOfOtherOwner,
    SecretsInvalid: ({ secretProblem }) => secretProblem,
  },
  isolate: {
    OperatorActive: ({ isAcknowledged }) =>
      isAcknowledged ? undefined : 'the etcd-operator has not suspended reconciliation of the EtcdCluster yet',
    SourceUnverified: ({ isSourceVerified }) => (isSourceVerified ? undefined : 'the backup has not been verified yet'),
  },
  restore: {
    SnapshotUnknown: ({ snapshot }) =>
      snapshot === 'unknown' ? 'it is not known yet whether the present data was saved' : undefined,
    PodReady: ({ policy, snapshot, readyPods }) =>
      isUnsaved(policy, snapshot) && readyPods.length > 0
        ? `${named('pod', readyPods)} ${isOrAre(readyPods.length)} Ready`
        : undefined,
    VolumeWithData: ({ policy, snapshot, volumes }) =>
      isUnsaved(policy, snapshot) && volumes.length > 0
        ? `${named('pvc', volumes)} ${volumes.length === 1 ? 'holds' : 'hold'} data of the cluster`
        : undefined,
    PodMayHoldData: ({ policy, snapshot, podsWithData }) =>
      isUnsaved(policy, snapshot) && podsWithData.length > 0
        ? `${named('pod', podsWithData)} may hold data of the cluster that is nowhere else`
        : undefined,
    MemberAnswers: ({ policy, snapshot, isAnswered }) =>
      policy === 'Required' && snapshot === 'none' && isAnswered ? 'a member of the cluster is reachable' : undefined,
    NotIsolated: ({ unisolatedPods }) =>
      unisolatedPods.length > 0 ? `the Services still have ${named('pod', unisolatedPods)} as an endpoint` : undefined,
  },
  recoverQuorum: {
    NoSurvivor: ({ survivors }) => objectIf(survivors.length === 0, 'no voter that has data is reachable'),
    MayReturn: ({ mayReturn }) => (mayReturn.length > 0 ? mayReturn.join(' and ') : undefined),
    QuorumLeft: ({ gone, voters, needed }) =>
      objectIf(
        voters - gone >= needed,
        `${voters - gone} of ${counted(voters, 'voter')} may remain, which is enough for a quorum (${needed} needed)`,
      ),
    PodReady: ({ readyPods }) =>
      objectIf(readyPods.length > 0, `${named('pod', readyPods)} ${isOrAre(readyPods.length)} Ready`),
    DataDisputed: ({ isCorrupt }) => objectIf(isCorrupt, 'etcd has raised CORRUPT'),
    Attempted: ({ attempt }) =>
      attempt === 'none'
        ? undefined
        : attempt === 'begun'
          ? 'the recovery was begun before'
          : 'it is not known whether the recovery was begun before',
    StillPatient: ({ waited, patience }) =>
      objectIf(waited < patience, `the recovery begins only after ${Math.round(patience / 1000)} s without a quorum`),
  },
  deleteOldPod: {
    NotReplaced: ({ isReplaced, isStartedForSnapshot, isReadFromVolume = false }) =>
      isReplaced || isStartedForSnapshot || isReadFromVolume ? undefined : notAvailable,
  },
  deleteOldVolume: {
    NotReplaced: ({ isReplaced }) => (isReplaced ? undefined : notAvailable),
    NotItsOwn: ({ isKeptByThisRestore }) => (isKeptByThisRestore ? undefined : 'it was not kept by this EtcdRestore'),
    KeptForGood: ({ retention }) => (retention === undefined ? 'it is kept until it is deleted manually' : undefined),
    RetentionRuns: ({ retention = 0, keptFor }) =>
      keptFor < retention ? `it is kept for another ${Math.ceil((retention - keptFor) / 1000)} s` : undefined,
    RetentionUnseen: ({ retention = 0, seenFor }) => {
      const missing = seenRetention(retention) - seenFor;
      return missing > 0
        ? `this operator process must have run for another ${Math.ceil(missing / 1000)} s of the retention`
        : undefined;
    },
    InUse: ({ usedBy }) => (usedBy.length > 0 ? `it is mounted by ${named('pod', usedBy)}` : undefined),
  },
};

const notAvailable = 'the new incarnation is not Available at its full size';

function isUnsaved(policy: NewIncarnation['policy'], snapshot: NewIncarnation['snapshot']): boolean {
  return policy === 'Required' && (snapshot === 'none' || snapshot === 'notCurrent');
}

/** How much of a retention must pass while one process runs, so that a wall clock that jumps ahead never ends a retention by itself. */
export function seenRetention(retention: number): number {
  return Math.min(retention, 3_600_000);
}

/** The first three names, because the message must fit into a status. */
function named(kind: string, names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => `${kind}/${name}`);
  return [...shown, ...(names.length > 3 ? [`${names.length - 3} more`] : [])].join(', ');
}
