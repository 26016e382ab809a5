// SPDX-License-Identifier: Apache-2.0

/**
 * One change the operator can make. Small enough that it is carried out as a whole or recognised afterwards by reading, and
 * complete enough that acting needs no further decision: names, IDs and preconditions are all here.
 */
export type Step =
  | { readonly do: 'ensureService'; readonly which: 'peer' | 'client' }
  | { readonly do: 'ensureBudget'; readonly minAvailable: number }
  | { readonly do: 'deleteBudget' }
  /** Writes cluster ID and incarnation to the places named. */
  | {
      readonly do: 'recordIdentity';
      readonly clusterId: string;
      readonly incarnation: number;
      /** The version the cluster was founded with; empty if that is not known or recorded already. */
      readonly bootstrapVersion: string;
    }
  /** Makes the first member: its volume if it has one, then its pod, armed to found a new cluster. */
  | ({ readonly do: 'createSeed'; readonly name: string; readonly incarnation: number } & Release)
  /** Adds a member to etcd and, in the same breath, makes its volume and pod with the list that etcd returned. */
  | ({
      readonly do: 'joinMember';
      readonly name: string;
      readonly incarnation: number;
      readonly learner: boolean;
    } & Release)
  | CreatePod
  /** Takes from a pod what it would need to boot on an empty directory, and records who it is; optionally marks it a voter. */
  | {
      readonly do: 'clearBootstrap';
      readonly pod: string;
      readonly uid: string;
      readonly resourceVersion: string;
      readonly clusterId: string;
      readonly memberId: string;
      readonly markVoter: boolean;
      /** True if the member has a volume: the identity, and the version that serves from it, are written there first. */
      readonly onVolume: boolean;
      readonly version: string;
      /** Of a founder: what the cluster was born with. Kept on the pod until the object knows it. */
      readonly bootstrapVersion?: string;
    }
  | { readonly do: 'promote'; readonly memberId: string; readonly name: string }
  | { readonly do: 'moveLeader'; readonly from: string; readonly to: string; readonly toName: string }
  | {
      readonly do: 'removeMember';
      readonly memberId: string;
      readonly name: string;
      /** `corrupt`: a voter that holds other data than the majority, or a learner that may. */
      readonly because: 'scale' | 'dead' | 'corrupt';
    }
  /** Gives a member the address back that its pod has. */
  | { readonly do: 'readdress'; readonly memberId: string; readonly name: string }
  | {
      readonly do: 'deletePod';
      readonly name: string;
      readonly uid: string;
      readonly force: boolean;
      /** Less than the pod would have to end by itself: it has nothing to hand over, and would not hear that it should. */
      readonly graceSeconds?: number;
      /** Given where the pod must not have changed since it was looked at: what is done next rests on it. */
      readonly resourceVersion?: string;
      /** True if data that no volume holds may go with it. */
      readonly holdsData?: boolean;
      /** Given where the pod works: it is not deleted unless the API server would take the pod that follows it. */
      readonly successor?: CreatePod;
    }
  /** Gives a joiner whose process has never been started the present list of members to start with. */
  | { readonly do: 'renewBootList'; readonly pod: string; readonly uid: string }
  | { readonly do: 'deleteVolume'; readonly name: string; readonly uid: string }
  /** Takes the labels that put a pod behind the Services off a pod of another life of this cluster. */
  | { readonly do: 'isolatePod'; readonly name: string; readonly uid: string }
  /** Puts it back behind them. */
  | { readonly do: 'unisolatePod'; readonly name: string; readonly uid: string }
  /** Brings labels, annotations and the like up to date on a living pod. */
  | { readonly do: 'updatePod'; readonly name: string; readonly uid: string; readonly fields: readonly string[] }
  /** Starts a throw-away pod on a node that pulls the image and reports its version. */
  | { readonly do: 'checkImage'; readonly node: string; readonly image: string }
  | { readonly do: 'deleteImageCheck'; readonly name: string; readonly uid: string }
  /** Patches the image in place: the same pod, the same data, a new process. */
  | {
      readonly do: 'setImage';
      readonly pod: string;
      readonly uid: string;
      readonly resourceVersion: string;
      readonly from: string;
      readonly version: string;
      readonly image: string;
      /** What to go back to if this does not work; undefined if this is the way back. */
      readonly rollbackTo: Release | undefined;
      /** The container that is replaced. */
      readonly container: string;
      /** True if the member has a volume: what is about to be started on it is written there first. */
      readonly onVolume: boolean;
      /** Empty for etcd's default. */
      readonly snapshotCount: string;
      /** `failed`: what it runs does not work, and it goes back. */
      readonly because: 'asked' | 'failed';
    }
  /** Forgets what a pod ran before, once its new version has answered. */
  | {
      readonly do: 'confirmImage';
      readonly pod: string;
      readonly uid: string;
      /** True if the member has a volume: the version that serves from it is written there first. */
      readonly onVolume: boolean;
      readonly from: string;
      readonly version: string;
    }
  /** Restores etcd's own snapshot count on a pod; takes effect at its next restart. */
  | { readonly do: 'setSnapshotCount'; readonly pod: string; readonly uid: string; readonly snapshotCount: string }
  /** Writes harmless entries so that members take a raft snapshot. */
  | { readonly do: 'nudgeSnapshot'; readonly entries: number }
  | { readonly do: 'enableDowngrade'; readonly version: string }
  | { readonly do: 'cancelDowngrade' }
  /** Lets clients write again. `0` is whom etcd names that could not tell which member it is about. */
  | { readonly do: 'disarmAlarm'; readonly memberId: string; readonly alarm: 'CORRUPT' }
  /** Creates the EtcdRestore that recovers a cluster without a quorum from the members that are left. */
  | {
      readonly do: 'recoverQuorum';
      /** Of the EtcdRestore. */
      readonly name: string;
      /** The cluster ID of the incarnation that has lost its quorum. */
      readonly clusterId: string;
      /** Members of which nothing is left. */
      readonly lost: readonly string[];
    }
  /** Changes a living pod's resources without restarting it. */
  | { readonly do: 'resizePod'; readonly name: string; readonly uid: string };

/** Makes the pod (and volume) of a member that etcd lists already. */
export interface CreatePod extends Release {
  readonly do: 'createPod';
  readonly name: string;
  readonly incarnation: number;
  readonly memberId: string;
  /** `existing` only for a member that has never started; a member with data is started disarmed. */
  readonly boot: 'existing' | 'cleared';
  /** True if it must mount the volume it has, whatever the spec says of new ones by now. */
  readonly onVolume: boolean;
  /** True if the files it will find belong to root (operator rule 27). */
  readonly asRoot: boolean;
  /** What to go back to if its version does not work; undefined if that is proven. */
  readonly rollbackTo: Release | undefined;
}

/** What a member's container runs. */
export interface Release {
  /** Without a leading `v`. */
  readonly version: string;
  readonly image: string;
}

/** A step and why it is taken, in words a user reads in `status.plan`, in `kubectl etcd plan` and in the log. */
export interface PlannedStep {
  readonly step: Step;
  readonly reason: string;
}

/** What the operator is waiting for, in words, and what ends the wait. */
export interface Wait {
  readonly reason: string;
  /** When to reconcile again if no event comes earlier, in milliseconds. */
  readonly retryAfter: number;
}

/**
 * Which steps can cost data or a vote, and are therefore judged by what they do before they are taken. A new step that is not placed
 * here does not compile.
 */
const risks = {
  createSeed: 'judged',
  joinMember: 'judged',
  createPod: 'judged',
  promote: 'judged',
  removeMember: 'judged',
  deletePod: 'judged',
  deleteVolume: 'judged',
  disarmAlarm: 'judged',
  recoverQuorum: 'judged',
  ensureService: 'harmless',
  ensureBudget: 'harmless',
  deleteBudget: 'harmless',
  recordIdentity: 'harmless',
  clearBootstrap: 'harmless',
  moveLeader: 'harmless',
  readdress: 'harmless',
  renewBootList: 'harmless',
  isolatePod: 'harmless',
  unisolatePod: 'harmless',
  updatePod: 'harmless',
  checkImage: 'harmless',
  deleteImageCheck: 'harmless',
  setImage: 'harmless',
  confirmImage: 'harmless',
  setSnapshotCount: 'harmless',
  nudgeSnapshot: 'harmless',
  enableDowngrade: 'harmless',
  cancelDowngrade: 'harmless',
  resizePod: 'harmless',
} as const satisfies Readonly<Record<Step['do'], 'judged' | 'harmless'>>;

type Judged = { [K in Step['do']]: (typeof risks)[K] extends 'judged' ? K : never }[Step['do']];

/** A step that can cost data or a vote. */
export type JudgedStep = Extract<Step, { do: Judged }>;

export function isJudged(step: Step): step is JudgedStep {
  return risks[step.do] === 'judged';
}

/**
 * True for steps that may destroy data or a vote permanently. They are planned again from objects just read from the API server and
 * from the members, never from a cache alone: an old cache also shows a spec.size that is no longer asked for. Disarming an alarm
 * destroys nothing, but after it the data is not compared again.
 */
export function isDestructive(step: Step): boolean {
  if (!isJudged(step)) return false;
  switch (step.do) {
    case 'createSeed':
    case 'deleteVolume':
    case 'disarmAlarm':
    case 'recoverQuorum':
    case 'removeMember':
      return true;
    case 'deletePod':
      return step.force || step.holdsData === true;
    case 'joinMember':
    case 'createPod':
    case 'promote':
      return false;
  }
}

/**
 * True for steps that no other builds on: what keeps one of these from being taken must not keep members from being looked
 * after.
 */
export function isIndependent(step: Step): boolean {
  return (
    step.do === 'ensureBudget' || step.do === 'deleteBudget' || (step.do === 'ensureService' && step.which === 'client')
  );
}
