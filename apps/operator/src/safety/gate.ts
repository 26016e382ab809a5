// SPDX-License-Identifier: Apache-2.0

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
  /** What speaks against it, in words for a person. */
  readonly evidence: string;
}

/** What each kind of step is judged by. */
export interface Subjects {
  readonly removeDeadMember: DeadMember;
  readonly isolate: Isolation;
  readonly restore: NewIncarnation;
  readonly deleteOldPod: OldPod;
  readonly deleteOldVolume: OldVolume;
}

/** One thing that speaks for a member being dead. Two pieces count as independent if they come from different sources. */
export interface Evidence {
  readonly source: 'operator' | 'kubernetes' | 'peers' | 'etcd';
  readonly what: string;
}

/** A member that is to be removed because it is taken for dead. */
export interface DeadMember {
  readonly evidence: readonly Evidence[];
  /** True if its pod is Ready, and its node is, too, or cannot be asked. */
  readonly isReady: boolean;
  /** Members that report a working connection to it. */
  readonly activePeers: readonly string[];
}

/** A pod that is to be removed from the Service endpoints, because an EtcdRestore replaces its incarnation. */
export interface Isolation {
  /** True if the etcd-operator has acknowledged the EtcdRestore: it would replace members that it cannot see any more. */
  readonly isAcknowledged: boolean;
  /** True if every byte of the backup has been read and compared. */
  readonly isSourceVerified: boolean;
}

/** A new incarnation that is to be created from a backup, in the place of what is there. */
export interface NewIncarnation {
  readonly policy: 'Required' | 'IfPossible' | 'Never';
  readonly snapshot: 'stored' | 'none' | 'unknown';
  /** Old pods that are Ready: they serve, whoever cannot reach them. */
  readonly readyPods: readonly string[];
  /** Old volumes that hold a member's data. */
  readonly volumes: readonly string[];
  /** True if an old member answered, whatever kept its data from being stored. */
  readonly isAnswered: boolean;
  /** Old pods that the Services still lead to. */
  readonly unisolatedPods: readonly string[];
}

/** A pod of the previous incarnation that is to be deleted. */
export interface OldPod {
  /** True if the new incarnation is Available at its full size. */
  readonly isReplaced: boolean;
  /** True if the restore itself started it, to take a snapshot from its volume. */
  readonly isStartedForSnapshot: boolean;
}

/** A volume of the previous incarnation that is to be deleted. Durations in milliseconds. */
export interface OldVolume {
  readonly isReplaced: boolean;
  /** True if this restore has kept it: those of others are not its own to delete. */
  readonly isKeptByThisRestore: boolean;
  /** Undefined: it is kept until somebody deletes it. */
  readonly retention: number | undefined;
  readonly keptFor: number;
  /** Pods that have it mounted. */
  readonly usedBy: readonly string[];
}

type Checks = {
  readonly [K in keyof Subjects]: Readonly<Record<string, (subject: Subjects[K]) => string | undefined>>;
};

const checks: Checks = {
  removeDeadMember: {
    PodReady: ({ isReady }) => (isReady ? 'its pod is Ready' : undefined),
    ActivePeer: ({ activePeers }) =>
      activePeers.length > 0 ? `${activePeers.join(' and ')} reports a working connection to it` : undefined,
    SingleEvidence: ({ evidence }) =>
      new Set(evidence.map(({ source }) => source)).size < 2
        ? `only one piece of evidence: ${evidence.map(({ what }) => what).join(', ') || 'none'}`
        : undefined,
  },
  isolate: {
    OperatorActive: ({ isAcknowledged }) =>
      isAcknowledged ? undefined : 'the etcd-operator has not suspended reconciliation of the EtcdCluster yet',
    SourceUnverified: ({ isSourceVerified }) => (isSourceVerified ? undefined : 'the backup has not been verified yet'),
  },
  restore: {
    SnapshotUnknown: ({ snapshot }) =>
      snapshot === 'unknown' ? 'it is not known yet whether the present data is saved' : undefined,
    PodReady: ({ policy, snapshot, readyPods }) =>
      isUnsaved(policy, snapshot) && readyPods.length > 0
        ? `${named('pod', readyPods)} ${readyPods.length === 1 ? 'is' : 'are'} Ready`
        : undefined,
    VolumeWithData: ({ policy, snapshot, volumes }) =>
      isUnsaved(policy, snapshot) && volumes.length > 0
        ? `${named('pvc', volumes)} ${volumes.length === 1 ? 'holds' : 'hold'} data of the cluster`
        : undefined,
    MemberAnswers: ({ policy, snapshot, isAnswered }) =>
      isUnsaved(policy, snapshot) && isAnswered ? 'a member of the cluster answers' : undefined,
    NotIsolated: ({ unisolatedPods }) =>
      unisolatedPods.length > 0 ? `the Services still lead to ${named('pod', unisolatedPods)}` : undefined,
  },
  deleteOldPod: {
    NotReplaced: ({ isReplaced, isStartedForSnapshot }) =>
      isReplaced || isStartedForSnapshot ? undefined : notAvailable,
  },
  deleteOldVolume: {
    NotReplaced: ({ isReplaced }) => (isReplaced ? undefined : notAvailable),
    NotItsOwn: ({ isKeptByThisRestore }) => (isKeptByThisRestore ? undefined : 'it was not kept by this EtcdRestore'),
    KeptForGood: ({ retention }) => (retention === undefined ? 'it is kept until somebody deletes it' : undefined),
    RetentionRuns: ({ retention = 0, keptFor }) =>
      keptFor < retention ? `it is kept for another ${Math.ceil((retention - keptFor) / 1000)} s` : undefined,
    InUse: ({ usedBy }) => (usedBy.length > 0 ? `${named('pod', usedBy)} has it mounted` : undefined),
  },
};

const notAvailable = 'the new incarnation is not Available at its full size';

function isUnsaved(policy: NewIncarnation['policy'], snapshot: NewIncarnation['snapshot']): boolean {
  return policy === 'Required' && snapshot === 'none';
}

/** The first three: a message has to fit a status. */
function named(kind: string, names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => `${kind}/${name}`);
  return [...shown, ...(names.length > 3 ? [`${names.length - 3} more`] : [])].join(', ');
}
