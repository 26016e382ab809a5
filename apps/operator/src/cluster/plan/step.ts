// SPDX-License-Identifier: Apache-2.0

/**
 * One change that the operator can make. Each step is so small that the operator can find out afterwards, by reading, whether the step was
 * carried out. It contains all names, IDs and preconditions, so that carrying it out needs no further decision.
 */
export type Step =
  | { readonly do: 'ensureService'; readonly which: 'peer' | 'client' }
  | { readonly do: 'ensureBudget'; readonly minAvailable: number }
  | { readonly do: 'deleteBudget' }
  /** Records cluster ID and incarnation on the EtcdCluster. */
  | {
      readonly do: 'recordIdentity';
      readonly clusterId: string;
      readonly incarnation: number;
      /** The version with which the cluster was bootstrapped; empty if unknown or already recorded. */
      readonly bootstrapVersion: string;
    }
  /** Creates the first member: its volume if it has one, then its pod, which can bootstrap a new cluster. */
  | ({ readonly do: 'createSeed'; readonly name: string; readonly incarnation: number } & Release)
  /** Adds a member to etcd, and at once creates its volume and pod with the member list that etcd returned. */
  | ({
      readonly do: 'joinMember';
      readonly name: string;
      readonly incarnation: number;
      readonly learner: boolean;
    } & Release)
  | CreatePod
  /**
   * Removes from a pod everything that etcd needs to boot on an empty directory, and records the identity of the member on the pod.
   * `markVoter` also labels the pod as a voter.
   */
  | {
      readonly do: 'clearBootstrap';
      readonly pod: string;
      readonly uid: string;
      readonly resourceVersion: string;
      readonly clusterId: string;
      readonly memberId: string;
      readonly markVoter: boolean;
      /** True if the member has a volume: identity and version are recorded there first. */
      readonly onVolume: boolean;
      readonly version: string;
      /**
       * For a first member: the version with which the cluster was bootstrapped. The pod keeps it until it is recorded on the EtcdCluster.
       */
      readonly bootstrapVersion?: string;
    }
  | { readonly do: 'promote'; readonly memberId: string; readonly name: string }
  | { readonly do: 'moveLeader'; readonly from: string; readonly to: string; readonly toName: string }
  | {
      readonly do: 'removeMember';
      readonly memberId: string;
      readonly name: string;
      /** `corrupt`: a voter whose data differs from the majority, or a learner that may have received such data. */
      readonly because: 'scale' | 'dead' | 'corrupt';
    }
  /** Resets the member's peer URL to the address of its pod. */
  | { readonly do: 'readdress'; readonly memberId: string; readonly name: string }
  | {
      readonly do: 'deletePod';
      readonly name: string;
      readonly uid: string;
      readonly force: boolean;
      /** A grace period that is shorter than that of the pod: the member has no leadership to transfer, and may not react to a signal. */
      readonly graceSeconds?: number;
      /** Set if the pod must not have changed since the observation, because the following steps rely on it. */
      readonly resourceVersion?: string;
      /** True if the pod may hold data that no volume holds. */
      readonly holdsData?: boolean;
      /** Set for a working pod: it is deleted only if the API server would accept this successor. */
      readonly successor?: CreatePod;
    }
  /** Gives a joining member whose process has never started the present member list. */
  | { readonly do: 'renewBootList'; readonly pod: string; readonly uid: string }
  | { readonly do: 'deleteVolume'; readonly name: string; readonly uid: string }
  /** Removes the label that makes a pod of a previous incarnation an endpoint of the Services. */
  | { readonly do: 'isolatePod'; readonly name: string; readonly uid: string }
  /** Adds the label that `isolatePod` has removed. */
  | { readonly do: 'unisolatePod'; readonly name: string; readonly uid: string }
  /** Updates labels, annotations and the like on a running pod. */
  | { readonly do: 'updatePod'; readonly name: string; readonly uid: string; readonly fields: readonly string[] }
  /** Starts a temporary pod on a node, which pulls the image and reports its version. */
  | { readonly do: 'checkImage'; readonly node: string; readonly image: string }
  | { readonly do: 'deleteImageCheck'; readonly name: string; readonly uid: string }
  /** Changes the image in place: the same pod, the same data, a new process. */
  | {
      readonly do: 'setImage';
      readonly pod: string;
      readonly uid: string;
      readonly resourceVersion: string;
      readonly from: string;
      readonly version: string;
      readonly image: string;
      /** The release to roll back to if the new release does not work; undefined if this step is the rollback. */
      readonly rollbackTo: Release | undefined;
      /** The container to be replaced. */
      readonly container: string;
      /** True if the member has a volume: the version to be started is recorded there first. */
      readonly onVolume: boolean;
      /** Empty for etcd's default. */
      readonly snapshotCount: string;
      /** `failed`: the present image does not work, and this step rolls it back. */
      readonly because: 'asked' | 'failed';
    }
  /** Removes the record of the previous image from a pod, once its new version has answered. */
  | {
      readonly do: 'confirmImage';
      readonly pod: string;
      readonly uid: string;
      /** True if the member has a volume: the confirmed version is recorded there first. */
      readonly onVolume: boolean;
      readonly from: string;
      readonly version: string;
    }
  /** Restores etcd's own snapshot count on a pod. The new value takes effect at the next restart of the pod. */
  | { readonly do: 'setSnapshotCount'; readonly pod: string; readonly uid: string; readonly snapshotCount: string }
  /** Writes harmless entries so that members take a raft snapshot. */
  | { readonly do: 'nudgeSnapshot'; readonly entries: number }
  | { readonly do: 'enableDowngrade'; readonly version: string }
  | { readonly do: 'cancelDowngrade' }
  /** Allows clients to write again. etcd raises the alarm for member `0` if it could not tell which member is affected. */
  | { readonly do: 'disarmAlarm'; readonly memberId: string; readonly alarm: 'CORRUPT' | 'NOSPACE' }
  /** Creates the EtcdRestore that recovers a cluster without a quorum from the remaining members. */
  | {
      readonly do: 'recoverQuorum';
      /** The name of the EtcdRestore. */
      readonly name: string;
      /** The cluster ID of the incarnation that has lost its quorum. */
      readonly clusterId: string;
      /** Members whose data is permanently lost. */
      readonly lost: readonly string[];
    }
  /** Changes the resources of a running pod without restarting it. */
  | { readonly do: 'resizePod'; readonly name: string; readonly uid: string };

/** Creates the pod (and volume) of a member that etcd already lists. */
export interface CreatePod extends Release {
  readonly do: 'createPod';
  readonly name: string;
  readonly incarnation: number;
  readonly memberId: string;
  /** `existing` only for a member that has never started. A member with data starts without bootstrap configuration. */
  readonly boot: 'existing' | 'cleared';
  /** True if the member must mount its existing volume, whatever the spec now says about new volumes. */
  readonly onVolume: boolean;
  /** True if the files on its volume belong to root (operator rule 27). */
  readonly asRoot: boolean;
  /** The release to roll back to if the version does not work; undefined once the version is confirmed. */
  readonly rollbackTo: Release | undefined;
}

/** The release that a member's container runs. */
export interface Release {
  /** Without a leading `v`. */
  readonly version: string;
  readonly image: string;
}

/** A step and its reason, which users read in `status.plan`, in `kubectl etcd plan` and in the log. */
export interface PlannedStep {
  readonly step: Step;
  readonly reason: string;
}

/** What the operator is waiting for, in words. */
export interface Wait {
  readonly reason: string;
  /** When to reconcile again if no event comes earlier, in milliseconds. */
  readonly retryAfter: number;
}

/**
 * Which steps can cost data or a vote, and are therefore checked by the gate before they are taken. A new step that is not listed here does
 * not compile.
 */
const risks = {
  createSeed: 'gated',
  joinMember: 'gated',
  createPod: 'gated',
  promote: 'gated',
  removeMember: 'gated',
  deletePod: 'gated',
  deleteVolume: 'gated',
  disarmAlarm: 'gated',
  recoverQuorum: 'gated',
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
} as const satisfies Readonly<Record<Step['do'], 'gated' | 'harmless'>>;

type Gated = { [K in Step['do']]: (typeof risks)[K] extends 'gated' ? K : never }[Step['do']];

/** A step that can cost data or a vote. */
export type GatedStep = Extract<Step, { do: Gated }>;

export function isGated(step: Step): step is GatedStep {
  return risks[step.do] === 'gated';
}

/**
 * True for steps that may destroy data or a vote permanently. They are planned again from objects just read from the API server and from
 * the members, never from a cache alone, because an old cache may show an outdated spec.size. Disarming an alarm destroys nothing, but
 * afterwards the data is not compared again.
 */
export function isDestructive(step: Step): boolean {
  if (!isGated(step)) return false;
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

/** True for steps on which no other step depends: if such a step fails, the later steps are still carried out. */
export function isIndependent(step: Step): boolean {
  return (
    step.do === 'ensureBudget' || step.do === 'deleteBudget' || (step.do === 'ensureService' && step.which === 'client')
  );
}
