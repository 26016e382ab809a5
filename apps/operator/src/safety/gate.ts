// SPDX-License-Identifier: Apache-2.0
import { counted, isOrAre } from '../counted.ts';

/**
 * The one gate that every step passes which can destroy data or take a vote: removing a member as dead, deleting a pod or a
 * volume that may hold data, bootstrapping, isolating, restoring. Each kind of step has a list of named objections; each
 * objection looks at the evidence and can say no by itself. What is unknown objects where it would matter
 * (safety rules 13 to 15). Pure: the caller gathers the facts, and decides what to do instead.
 */
export function objectionsTo<K extends keyof Subjects>(action: K, subject: Subjects[K]): readonly Objection[] {
  return Object.entries(checks[action]).flatMap(([name, check]) => {
    const evidence = check(subject);
    return evidence === undefined ? [] : [{ name, evidence }];
  });
}

/** Why a step must not be taken now. */
export interface Objection {
  /** Stable, for tests, logs and documentation. */
  readonly name: string;
  /** What speaks against it: a clause for a person, after "because". */
  readonly evidence: string;
}

/** What each kind of step is judged by. */
export interface Subjects {
  readonly removeDeadMember: DeadMember;
  readonly removeCorruptMember: CorruptMember;
  readonly admitMember: Admission;
  readonly disarmAlarm: { readonly isSettled: boolean };
  readonly deletePod: PodToDelete;
  readonly deleteVolume: VolumeToDelete;
  readonly bootstrap: Beginning;
  readonly isolate: Isolation;
  readonly restore: NewIncarnation;
  readonly recoverQuorum: LostQuorum;
  readonly deleteOldPod: OldPod;
  readonly deleteOldVolume: OldVolume;
}

/** One thing that speaks for a member being dead. Two pieces are independent if they come from different sources. */
export interface Evidence {
  readonly source: 'operator' | 'kubernetes' | 'peers' | 'etcd';
  readonly what: string;
}

/** A member that is to be removed because it is taken for dead. */
export interface DeadMember {
  readonly evidence: readonly Evidence[];
  /** True if Kubernetes is ending it, and its data with it, whatever anybody says. @default false */
  readonly isLeaving?: boolean;
  /** True if its pod is Ready, and its node is, too, or cannot be asked. */
  readonly isReady: boolean;
  /** Members that have received something from it a moment ago. */
  readonly heardBy: readonly string[];
  /** True while its process opens its data. */
  readonly isBooting: boolean;
  /** True if it is killed for lack of memory again and again: a fresh member would be, too. */
  readonly isOutOfMemory: boolean;
  /** True while etcd has raised CORRUPT and it is not known whose data is right: it may be that of this member. @default false */
  readonly isDisputed?: boolean;
  /** How long it has been waited for with quorum in hand, and how long it must be; milliseconds. Both 0 if its data is gone. */
  readonly waited: number;
  readonly patience: number;
  /** Healthy voters without it, and how many are needed then. Absent while only its fate is asked for, or if it has no vote. */
  readonly remaining?: { readonly healthy: number; readonly needed: number };
}

/** A voter that is to be removed because its data differs. etcd says that there is one, and comparing says which. */
export interface CorruptMember {
  /** True while etcd has raised CORRUPT. */
  readonly isRaised: boolean;
  /** True if its hash differs from the one that the agreeing voters have, at one revision. */
  readonly isDeviating: boolean;
  /** How many voters have one hash, and how many there are. */
  readonly agreeing: number;
  readonly voters: number;
  /** Healthy voters without it, and how many are needed then. */
  readonly remaining: { readonly healthy: number; readonly needed: number };
}

/** A member that is to join, to start for the first time, or to get a vote. */
export interface Admission {
  /** True while etcd has raised CORRUPT. */
  readonly isCorrupt: boolean;
  /** True for one that etcd lists already, and that only has to start. */
  readonly isListed: boolean;
  /** True if the leader, which it gets its data from, is known to hold what a majority of the voters holds. */
  readonly isSourceSound: boolean;
}

/** A pod that is to be deleted with what it holds. */
export interface PodToDelete {
  /** True if a member that has started is listed for it and its data is in the pod alone. */
  readonly holdsMemberData: boolean;
  /** True if its etcd has just answered as a member that is listed. */
  readonly answersAsMember: boolean;
  /** True if it is Ready and its data is in the pod alone: a member that was removed cannot be. */
  readonly isReady: boolean;
  /** True if it is deleted without waiting for its node, which may still run it. */
  readonly isForced: boolean;
  /** True if its node is gone or tainted out-of-service; false if that is not known. */
  readonly isNodeLost: boolean;
  /** True while etcd has raised CORRUPT and it is not known whose data is right, if its data would be deleted with it. @default false */
  readonly isDisputed?: boolean;
}

/** A volume that is to be deleted. */
export interface VolumeToDelete {
  /** True if a listed member has its data there. */
  readonly isListed: boolean;
  /** True if a pod of its name is there. */
  readonly isInUse: boolean;
  /** True if a member's identity is written to it. */
  readonly isRecorded: boolean;
  /** True if as many voters as asked for are healthy without it. */
  readonly isReplaced: boolean;
  /** True if a voter of its name is listed that cannot start before it is gone, and whose vote is missing meanwhile. */
  readonly isInTheWay: boolean;
  /** True while etcd has raised CORRUPT: what it holds may be what the others lack. @default false */
  readonly isCorrupt?: boolean;
}

/** A cluster that is to be bootstrapped from nothing. */
export interface Beginning {
  /** The first thing found that shows that this cluster has been there before, or that would be mistaken for it. */
  readonly earlierIncarnation: string | undefined;
  readonly ownPod: string | undefined;
  readonly ownVolume: string | undefined;
  readonly staleSeedVolume: string | undefined;
  readonly foreignPod: string | undefined;
  readonly secretProblem: string | undefined;
}

/** A pod that is to be removed from the Service endpoints, because an EtcdRestore replaces its incarnation. */
export interface Isolation {
  /** True if the etcd-operator has acknowledged the EtcdRestore: it would replace members that it cannot see any more. */
  readonly isAcknowledged: boolean;
  /** True if every byte of the backup has been read and compared, or there is none: the source is what the old members hold. */
  readonly isSourceVerified: boolean;
}

/** A new incarnation that is to be created from a backup, in the place of what is there. */
export interface NewIncarnation {
  readonly policy: 'Required' | 'IfPossible' | 'Never';
  /** `notCurrent`: one is stored, of a member that could not show that no other member has more. */
  readonly snapshot: 'stored' | 'notCurrent' | 'none' | 'unknown';
  /** Old pods that are Ready: they serve clients even if the operator cannot reach them. Not those that the stored snapshot covers. */
  readonly readyPods: readonly string[];
  /** Old volumes that hold the data of a member that the stored snapshot does not cover. */
  readonly volumes: readonly string[];
  /** Other old pods that may hold a member's data outside a volume, and that the stored snapshot does not cover. */
  readonly podsWithData: readonly string[];
  /** True if an old member answered, whatever kept its data from being stored. */
  readonly isAnswered: boolean;
  /** Old pods that the Services still lead to. */
  readonly unisolatedPods: readonly string[];
}

/** A cluster that is to be recovered, without being asked to, from the members that are left: the others are taken for gone for good. */
export interface LostQuorum {
  /** Voters that answer, and have no leader. */
  readonly survivors: readonly string[];
  /** Why a voter may come back, or why this is not known: a clause each. */
  readonly mayReturn: readonly string[];
  /** Voters of which nothing is left, how many voters there were, and how many must agree. */
  readonly gone: number;
  readonly voters: number;
  readonly needed: number;
  /** Pods that are Ready: they serve clients even if the operator cannot reach them. */
  readonly readyPods: readonly string[];
  /** Whether this has been begun before, for this incarnation. */
  readonly attempt: 'none' | 'begun' | 'unknown';
  /** True while a member reports CORRUPT. */
  readonly isCorrupt: boolean;
  /** For how long there has been no quorum, as the operator has seen it and as the members say; milliseconds. */
  readonly waited: number;
  readonly patience: number;
}

/** A pod of the previous incarnation that is to be deleted. */
export interface OldPod {
  /** True if the new incarnation is Available at its full size. */
  readonly isReplaced: boolean;
  /** True if the restore itself started it, to take a snapshot from its volume. */
  readonly isStartedForSnapshot: boolean;
  /** True if its data is on a volume, which is kept, and a restore recovers the cluster from there. @default false */
  readonly isReadFromVolume?: boolean;
}

/** A volume of the previous incarnation that is to be deleted. Durations in milliseconds. */
export interface OldVolume {
  readonly isReplaced: boolean;
  /** True if this restore has kept it: those of others are not its own to delete. */
  readonly isKeptByThisRestore: boolean;
  /** Undefined: it is kept until it is deleted by hand. */
  readonly retention: number | undefined;
  /** By the wall clock, which can be changed. */
  readonly keptFor: number;
  /** For how long this process has seen it kept, by the monotonic clock. */
  readonly seenFor: number;
  /** Pods that have it mounted. */
  readonly usedBy: readonly string[];
}

type Checks = {
  readonly [K in keyof Subjects]: Readonly<Record<string, (subject: Subjects[K]) => string | undefined>>;
};

const objectIf = (applies: boolean, evidence: string) => (applies ? evidence : undefined);

const disputed = 'etcd has raised CORRUPT, and its data may be the valid copy';

function tooFewWithout({ healthy, needed }: { readonly healthy: number; readonly needed: number }): string | undefined {
  return objectIf(
    healthy < needed,
    `${counted(healthy, 'healthy voter')} would be left, ${needed} ${isOrAre(needed)} needed`,
  );
}

const checks: Checks = {
  removeDeadMember: {
    PodReady: ({ isReady, isLeaving }) => objectIf(isReady && !isLeaving, 'its pod is Ready'),
    HeardByPeers: ({ heardBy, isLeaving }) =>
      objectIf(heardBy.length > 0 && !isLeaving, `${heardBy.join(' and ')} received data from it a moment ago`),
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
    ForeignPod: ({ foreignPod }) => foreignPod,
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
        `${voters - gone} of ${counted(voters, 'voter')} may be left, and ${needed} ${isOrAre(needed)} a quorum`,
      ),
    PodReady: ({ readyPods }) =>
      objectIf(readyPods.length > 0, `${named('pod', readyPods)} ${isOrAre(readyPods.length)} Ready`),
    DataDisputed: ({ isCorrupt }) => objectIf(isCorrupt, 'etcd has raised CORRUPT'),
    Attempted: ({ attempt }) =>
      attempt === 'none'
        ? undefined
        : attempt === 'begun'
          ? 'it was begun before'
          : 'it is not known whether it was begun before',
    StillPatient: ({ waited, patience }) =>
      objectIf(waited < patience, `the quorum may be missing for ${Math.round(patience / 1000)} s before that`),
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

/** How much of a retention one process must see pass: a wall clock that jumps ahead ends none by itself. */
export function seenRetention(retention: number): number {
  return Math.min(retention, 3_600_000);
}

/** The first three: a message has to fit a status. */
function named(kind: string, names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => `${kind}/${name}`);
  return [...shown, ...(names.length > 3 ? [`${names.length - 3} more`] : [])].join(', ');
}
