// SPDX-License-Identifier: Apache-2.0
import { compareVersions, quorum, versionOf } from '@etcd-operator/etcd';
import type { Desired } from '../../desired.ts';
import type { Answer, EtcdMember, Latch, MemberPod, MemberVolume, Observation } from '../../observation.ts';
import type { Step } from '../step.ts';
import { desiredOf, podOf, volumeOf } from './fixtures.ts';

interface Member {
  readonly id: string;
  readonly podName: string;
  readonly addedAt: number;
  name: string;
  isLearner: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * A world small enough to hold in the head, for testing the planner: etcd as a list of members with a quorum rule, pods that
 * come up after a while, data that lives in a pod or on a volume. It refuses what etcd refuses, and it throws on what must
 * never be asked for, so that a run of the planner in it is a check of the safety rules.
 */
export class World {
  now = 1_000_000;
  desired: Desired;
  generation = 1;
  paused = false;
  inStatus: Latch | undefined;
  inAnnotation: Latch | undefined;
  bornVersion: string | undefined;
  clusterId = '';
  readonly uid = 'uid-1';
  readonly pods = new Map<string, Mutable<MemberPod>>();
  readonly volumes = new Map<string, Mutable<MemberVolume>>();
  readonly imageChecks = new Map<string, { node: string; image: string; createdAt: number }>();
  services = { peer: 'missing', client: 'missing' } as Mutable<Observation['services']>;
  minAvailable: number | undefined;
  members: Member[] = [];
  leaderId = '';
  /** Pods whose process is stopped or cut off. */
  readonly cut = new Set<string>();
  readonly brokenImages = new Set<string>();
  readonly snapshots = new Map<string, number>();
  /** Data directories: member ID by pod or volume name. */
  readonly data = new Map<string, string>();
  readonly log: string[] = [];
  #nextId = 1;

  constructor(desired: Partial<Desired> = {}) {
    this.desired = desiredOf(desired);
  }

  // ---- what the operator sees

  observe(): Observation {
    const healthy = this.#healthyVoters().length;
    const voters = this.members.filter((member) => !member.isLearner);
    const hasQuorum = voters.length > 0 && healthy >= quorum(voters.length);
    if (!voters.some((member) => member.id === this.leaderId && this.#isUp(member))) this.leaderId = '';
    if (hasQuorum && this.leaderId === '') this.leaderId = this.#healthyVoters()[0]?.id ?? '';
    return {
      cluster: {
        name: 'c',
        namespace: 'ns',
        uid: this.uid,
        generation: this.generation,
        desired: this.desired,
        paused: this.paused,
        deleting: false,
        latchedInStatus: this.inStatus,
        latchedInAnnotation: this.inAnnotation,
        isLive: true,
        bornVersion: this.bornVersion,
        failedUpgrade: undefined,
      },
      pods: [...this.pods.values()].map((pod) => ({ ...pod })),
      volumes: [...this.volumes.values()].map((volume) => ({ ...volume })),
      services: { ...this.services },
      budget: { minAvailable: this.minAvailable, foreign: false },
      etcd: {
        membership: hasQuorum
          ? { kind: 'known', clusterId: this.clusterId, members: this.members.map((member) => this.#listed(member)) }
          : { kind: 'unknown', why: 'no quorum' },
        clusterVersion: this.#clusterVersion(),
        answers: new Map([...this.pods.keys()].map((name) => [name, this.#answer(name, hasQuorum)])),
      },
      nodes: new Map(),
      imageChecks: [...this.imageChecks].map(([name, check]) => ({
        ...check,
        name,
        uid: name,
        result: this.brokenImages.has(check.image) ? 'failed' : 'succeeded',
        detail: check.image.split(':v')[1] ?? '',
      })),
      secretProblems: [],
      oldOperator: undefined,
    };
  }

  #listed(member: Member): EtcdMember {
    const peerURLs = [`http://${member.podName}.c.ns.svc:2380`];
    return {
      id: member.id,
      name: member.name,
      podName: member.podName,
      peerURLs,
      isLearner: member.isLearner,
      seenSince: member.addedAt,
    };
  }

  #answer(name: string, hasQuorum: boolean): Answer {
    const pod = this.pods.get(name);
    const member = this.members.find((candidate) => candidate.podName === name);
    if (!pod || !this.#runs(pod))
      return { kind: 'silent', since: pod?.createdAt ?? this.now, why: 'connection refused' };
    const memberId = this.data.get(name) ?? '';
    return {
      kind: 'status',
      memberId,
      clusterId: this.clusterId,
      version: pod.version,
      leaderId: hasQuorum && member ? this.leaderId : '',
      isLearner: member?.isLearner ?? false,
      revision: 1,
      raftIndex: 10,
      raftAppliedIndex: 10,
      dbSize: 1000,
      alarms: [],
      since: pod.createdAt,
      raftSnapshots: this.snapshots.get(name) ?? 0,
      downgradeTarget: '',
    };
  }

  #clusterVersion(): string {
    const versions = this.#healthyVoters().flatMap(({ podName }) => this.pods.get(podName)?.version ?? []);
    const [oldest] = versions.map((text) => versionOf(text)).sort(compareVersions);
    return oldest ? `${oldest.major}.${oldest.minor}.0` : '';
  }

  // ---- how the world moves by itself

  /** Lets time pass: pods start, processes boot or fail on what they find. */
  tick(milliseconds = 1_000): void {
    this.now += milliseconds;
    for (const pod of this.pods.values()) {
      if (pod.terminating) this.#removePod(pod.name);
      else this.#start(pod);
    }
  }

  #start(pod: Mutable<MemberPod>): void {
    if (this.brokenImages.has(pod.image)) {
      pod.container = { ...pod.container, state: 'waiting', reason: 'ImagePullBackOff', startedAt: 0 };
      pod.ready = false;
      return;
    }
    pod.phase = 'Running';
    pod.container = { ...pod.container, state: 'running', reason: '', startedAt: pod.container.startedAt || this.now };
    const member = this.members.find((candidate) => candidate.podName === pod.name);
    if (!this.data.has(pod.name)) this.#bootBlank(pod, member);
    if (member && this.data.get(pod.name) === member.id) member.name = pod.name;
    pod.ready = this.#runs(pod);
  }

  #bootBlank(pod: Mutable<MemberPod>, member: Member | undefined): void {
    if (pod.boot === 'new') {
      if (this.clusterId !== '') throw new Error(`SAFETY: ${pod.name} founds a second cluster`);
      const id = this.#newId();
      this.clusterId = 'c1';
      this.members = [{ id, podName: pod.name, addedAt: this.now, name: pod.name, isLearner: false }];
      this.data.set(pod.name, id);
      this.bornVersion = pod.version;
    } else if (pod.boot === 'existing' && member) {
      if (!member.isLearner && member.name !== '')
        throw new Error(`SAFETY: voter ${pod.name} starts on an empty directory`);
      this.data.set(pod.name, member.id);
    } else {
      pod.container = {
        ...pod.container,
        lastExit: {
          code: 1,
          reason: 'Error',
          message: `couldn't find local name "${pod.name}" in the initial cluster configuration`,
        },
      };
    }
  }

  #runs(pod: MemberPod): boolean {
    if (this.cut.has(pod.name) || pod.phase !== 'Running' || this.brokenImages.has(pod.image)) return false;
    return this.data.has(pod.name) && pod.container.startedAt > 0;
  }

  #isUp(member: Member): boolean {
    const pod = this.pods.get(member.podName);
    return pod !== undefined && this.#runs(pod) && this.data.get(member.podName) === member.id;
  }

  #healthyVoters(): Member[] {
    return this.members.filter((member) => !member.isLearner && this.#isUp(member));
  }

  #newId(): string {
    return `m${this.#nextId++}`;
  }

  // ---- what people and hardware do

  deletePod(name: string): void {
    const pod = this.pods.get(name);
    if (pod) pod.terminating = true;
  }

  /** The pod is gone at once; its data too unless it is on a volume. */
  killPod(name: string): void {
    this.#removePod(name);
  }

  deleteVolume(name: string): void {
    this.volumes.delete(name);
    this.data.delete(name);
  }

  #removePod(name: string): void {
    const pod = this.pods.get(name);
    this.pods.delete(name);
    if (pod && pod.data !== 'claim') this.data.delete(name);
  }

  // ---- what the operator does

  apply(step: Step): void {
    this.log.push(step.do);
    switch (step.do) {
      case 'ensureService':
        this.services = { ...this.services, [step.which]: 'current' };
        return;
      case 'ensureBudget':
        this.minAvailable = step.minAvailable;
        return;
      case 'deleteBudget':
        this.minAvailable = undefined;
        return;
      case 'latchIdentity':
        this.inStatus = { clusterId: step.clusterId, incarnation: step.incarnation };
        this.inAnnotation = this.inStatus;
        return;
      case 'createSeed':
        this.#createPod(step.name, 'new', '');
        return;
      case 'createPod':
        this.#createPod(step.name, step.boot, step.memberId);
        return;
      case 'deletePod':
        this.deletePod(step.name);
        return;
      case 'deleteVolume':
        if (this.members.some((member) => member.podName === step.name))
          throw new Error(`SAFETY: volume of member ${step.name} deleted`);
        this.deleteVolume(step.name);
        return;
      case 'checkImage':
        this.imageChecks.set(`check-${step.node}-${step.image}`, {
          node: step.node,
          image: step.image,
          createdAt: this.now,
        });
        return;
      case 'deleteImageCheck':
        this.imageChecks.delete(step.name);
        return;
      case 'updatePod':
        this.#edit(step.name, { drift: [] });
        return;
      default:
        this.#applyToEtcd(step);
    }
  }

  #applyToEtcd(step: Step): void {
    switch (step.do) {
      case 'joinMember':
        this.#join(step.name, step.learner);
        return;
      case 'disarm':
        this.#disarm(step);
        return;
      case 'promote':
        this.#promote(step.memberId);
        return;
      case 'moveLeader':
        this.leaderId = step.to;
        return;
      case 'removeMember':
        this.#removeMember(step.memberId, step.because);
        return;
      case 'setImage':
        this.#setImage(step);
        return;
      case 'settleImage':
        this.#edit(step.pod, { previousVersion: '' });
        return;
      case 'setSnapshotCount':
        this.#edit(step.pod, { snapshotCount: step.snapshotCount });
        return;
      case 'nudgeSnapshot':
        for (const pod of this.pods.values()) {
          if (pod.snapshotCount !== '') this.snapshots.set(pod.name, (this.snapshots.get(pod.name) ?? 0) + 1);
        }
        return;
      default:
        return;
    }
  }

  #edit(name: string, change: Partial<MemberPod>): void {
    const pod = this.pods.get(name);
    if (pod) Object.assign(pod, change);
  }

  #createPod(name: string, boot: 'new' | 'existing' | 'disarmed', memberId: string): void {
    if (this.pods.has(name)) return;
    if (this.desired.storage === 'claim' && !this.volumes.has(name)) {
      this.volumes.set(
        name,
        volumeOf({
          name,
          uid: `v-${name}-${this.now}`,
          createdAt: this.now,
          memberId,
          clusterId: memberId ? this.clusterId : '',
        }),
      );
    }
    const { image, version, storage } = this.desired;
    this.pods.set(name, {
      ...podOf({
        name,
        uid: `p-${name}-${this.now}`,
        boot,
        image,
        version,
        data: storage,
        createdAt: this.now,
        memberId,
        phase: 'Pending',
      }),
      clusterId: memberId ? this.clusterId : '',
      markedVoter: boot === 'disarmed',
    });
  }

  #join(name: string, learner: boolean): void {
    const voters = this.members.filter((member) => !member.isLearner);
    if (this.members.some((member) => member.podName === name)) throw new Error(`SAFETY: ${name} added twice`);
    if (this.#healthyVoters().length < quorum(voters.length)) throw new Error('SAFETY: member add without quorum');
    // etcd refuses to add while one of three is down; the planner may ask again later.
    if (this.#healthyVoters().length < quorum(voters.length + 1) && voters.length > 1) return;
    this.members.push({ id: this.#newId(), podName: name, addedAt: this.now, name: '', isLearner: learner });
    this.#createPod(name, 'existing', '');
  }

  #disarm(step: Extract<Step, { do: 'disarm' }>): void {
    const volume = this.volumes.get(step.pod);
    if (volume) Object.assign(volume, { clusterId: step.clusterId, memberId: step.memberId });
    this.#edit(step.pod, {
      boot: 'disarmed',
      clusterId: step.clusterId,
      memberId: step.memberId,
      markedVoter: step.markVoter,
    });
  }

  #promote(id: string): void {
    const member = this.members.find((candidate) => candidate.id === id);
    const pod = member && this.pods.get(member.podName);
    if (!member?.isLearner) throw new Error(`SAFETY: ${id} promoted but is no learner`);
    if (pod?.boot !== 'disarmed') throw new Error(`SAFETY: ${member.podName} becomes a voter while armed`);
    member.isLearner = false;
  }

  #removeMember(id: string, because: 'scale' | 'dead'): void {
    const member = this.members.find((candidate) => candidate.id === id);
    if (!member) return;
    const rest = this.members.filter((candidate) => candidate !== member);
    const voters = rest.filter((candidate) => !candidate.isLearner);
    const healthy = voters.filter((candidate) => this.#isUp(candidate)).length;
    if (!member.isLearner && healthy < quorum(voters.length)) throw new Error(`SAFETY: removing ${id} loses quorum`);
    if (because === 'scale' && member.id === this.leaderId && rest.length > 0)
      throw new Error('SAFETY: the leader is removed');
    this.members = rest;
  }

  #setImage(step: Extract<Step, { do: 'setImage' }>): void {
    const pod = this.pods.get(step.pod);
    if (!pod) return;
    const voters = this.members.filter((member) => !member.isLearner);
    const others = this.#healthyVoters().filter((member) => member.podName !== step.pod).length;
    if (voters.length >= 3 && others < quorum(voters.length))
      throw new Error('SAFETY: restart without a quorum of others');
    this.snapshots.delete(step.pod);
    Object.assign(pod, {
      image: step.image,
      version: step.version,
      previousVersion: step.version === pod.previousVersion ? '' : pod.version,
      snapshotCount: step.snapshotCount,
      container: { ...pod.container, startedAt: 0, state: 'waiting', reason: 'ContainerCreating' },
    });
  }
}
