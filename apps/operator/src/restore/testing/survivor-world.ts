// SPDX-License-Identifier: Apache-2.0
import type { ClusterPod, ClusterVolume, HolderFacts, SourceFacts, SurvivorFacts } from '../observation.ts';
import type { RestoreStep } from '../plan/step.ts';
import { type Mutable, modelPod, modelVolume } from './model-objects.ts';
import type { SurvivorTrouble } from './trouble.ts';

/** What the member that still runs has applied, and where its log ends. */
const applied = { revision: 50, index: 60 } as const;
const logEnd = { revision: 52, index: 62 } as const;
/** Where a log ends whose last entries are gone. It looks complete if the database has not applied these entries either. */
const cutEnd = { revision: 48, index: 58 } as const;
const bytes = 4096;

export const survivorSource: SourceFacts = {
  ...{ path: 'survivor', bytes: 0, sha256: undefined, revision: applied.revision, storageVersion: undefined },
  ...{ authEnabled: false, verified: 'Pending', cluster: undefined },
};

const quiet: SurvivorFacts = {
  ...{ node: 'n1', mayRunUnseen: false, hasEnded: false, onVolume: true, reading: undefined, answer: undefined },
  ...{ broken: undefined, why: 'starting' },
};

/**
 * What is left of a cluster without a quorum: member `a`, whose etcd runs on its volume and whose data is on no other volume; possibly the
 * volume of `b`, whose log ends earlier; and the pod that holds a snapshot (the holder).
 */
export class SurvivorWorld {
  readonly trouble: SurvivorTrouble;
  holder: Mutable<HolderFacts> | undefined;
  /** The index at which a log is not copied, by pod. */
  readonly #heldFor = new Map<string, number | undefined>();

  constructor(trouble: SurvivorTrouble) {
    this.trouble = trouble;
  }

  pods(): Mutable<ClusterPod>[] {
    const told = this.trouble.isSilentOnApplied ? {} : { applied: applied.index };
    const answer = { ...applied, ...told, bytes, hasLeader: false };
    return this.trouble.isStopped ? [] : [{ ...modelPod('a', 1), ready: false, survivor: { ...quiet, answer } }];
  }

  volumes(): Mutable<ClusterVolume>[] {
    const names = this.trouble.other === undefined ? ['a'] : ['a', 'b'];
    return names.map((name) => ({ ...modelVolume(name, 1), isIdentified: true }));
  }

  /** Pods that read volumes report what they have found, and the holder restores the snapshot that it has received. */
  tick(pods: readonly Mutable<ClusterPod>[]): void {
    for (const pod of pods)
      if (pod.startedBy !== '' && !pod.terminating) pod.survivor = { ...quiet, ...this.#read(pod.name) };
    const { holder } = this;
    if (holder?.terminating) this.holder = undefined;
    else if (holder?.stage === 'pending' && !this.trouble.holderFails)
      Object.assign(holder, { stage: 'waitingForData', ip: '10.0.0.9' });
    else if (holder?.stage === 'restoring')
      Object.assign(holder, { stage: 'running', answer: { ...applied, bytes, hasLeader: true } });
  }

  #read(name: string): Partial<SurvivorFacts> {
    const { volume = 'readable', other = 0 } = this.trouble;
    if (name === 'a' && volume === 'damaged')
      return { reading: { kind: 'unreadable', why: 'a record does not match its checksum', isDamaged: true } };
    if (name === 'a' && volume === 'unattached') return { broken: 'its volume was not attached to node n1' };
    const ends = { readable: logEnd, idle: applied, cut: cutEnd } as const;
    const end =
      name === 'b'
        ? { index: other, revision: other - 10 }
        : ends[volume === 'idle' || volume === 'cut' ? volume : 'readable'];
    return {
      reading: {
        ...{ kind: 'log', term: 2, index: end.index, commit: Math.min(end.index, applied.index), voters: 3 },
        ...{ isVoter: true, clusterId: 'c1', memberId: name, voterIds: ['a', 'b', 'd'], isTorn: false },
        ...{ terms: [[1, 2]], newestEntry: 40, highestRevision: end.revision },
      },
      // An etcd that has no data to start with does not answer.
      ...(this.#heldFor.get(name) !== end.index && { answer: { ...end, bytes, hasLeader: true } }),
    };
  }

  start({ name, held }: Extract<RestoreStep, { do: 'startMember' }>): void {
    this.#heldFor.set(name, held);
  }

  /** Brings the snapshot to the holder. True if the holder has it. */
  arrive(): boolean {
    if (this.holder?.stage === 'waitingForData') this.holder.stage = 'restoring';
    return this.holder?.stage === 'restoring';
  }

  apply(step: Extract<RestoreStep, { do: 'createHolder' | 'settleHolder' }>): boolean {
    if (step.do === 'settleHolder') {
      if (this.holder) this.holder.isSettled = true;
      return true;
    }
    const { member, podUid, index, applied: upTo } = step;
    this.holder = {
      ...{ name: 'holder', uid: 'pod-holder', terminating: false, ip: '', agent: 'h1', stage: 'pending' },
      ...{ broken: undefined, why: 'waiting for pod/holder to be scheduled', answer: undefined, isSettled: false },
      ...{ member, podUid, index, ...(upTo !== undefined && { applied: upTo }) },
    };
    return true;
  }

  /** True if a snapshot of the member is in a pod of its own. */
  get isHeld(): boolean {
    return this.holder?.stage === 'restoring' || this.holder?.stage === 'running';
  }

  /** Why the data that `a` had applied is lost, as text; undefined if the data still exists. */
  lossOf({ pods, volumes, served }: Remaining): string | undefined {
    const isThere =
      this.isHeld ||
      (served ?? 0) >= applied.revision ||
      pods.some(({ uid, terminating }) => uid === 'pod-a' && !terminating && !this.trouble.isStopped) ||
      (!isDamaged(this.trouble.volume) && volumes.some(({ uid }) => uid === 'vol-a'));
    return isThere || this.trouble.isStopped || this.trouble.holderFails
      ? undefined
      : 'what member a had applied is nowhere';
  }
}

interface Remaining {
  readonly pods: readonly ClusterPod[];
  readonly volumes: readonly ClusterVolume[];
  /** The revision of the data that the new incarnation was made of. */
  readonly served: number | undefined;
}

function isDamaged(volume: SurvivorTrouble['volume']): boolean {
  return volume === 'damaged' || volume === 'cut';
}
