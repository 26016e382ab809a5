// SPDX-License-Identifier: Apache-2.0

import { annotations, labels } from '@etcd-operator/operator/testing/restore-pods';
import { messages } from '@operator-parts/etcd/testing';
import { persistentVolumeClaims, type TransportRequest } from '@operator-parts/kube';
import type { AppliedState } from '../etcd/applied-state.ts';
import type { Id } from '../etcd/ids.ts';
import type { Member } from '../etcd/member.ts';
import type { SimPod } from '../world/sim-pod.ts';
import { clusterKey } from './cluster-key.ts';
import { rottenMembers } from './maintenance.ts';
import type { Simulation } from './simulation.ts';

/** What failed so recently cannot have been known when a step was decided, in milliseconds. */
const knownAfter = 15_000;
/** A removed member ends by itself; its pod is taken out of the Service soon after. */
const servedFor = 60_000;

/** Progress of a backup is reported every few seconds; nothing else is written as often. */
const mostWrites = 150;

const precondition = /"(uid|resourceVersion)":"[^"]+"|"op":"test","path":"\/metadata\/(uid|resourceVersion)"/;

/** The rules that hold after every event, whatever happens (I1 to I8 of the simulation's plan). A broken one ends the run. */
export class Invariants {
  readonly #simulation: Simulation;
  /** Since when a voter cannot be reached by its leader. */
  readonly #missedSince = new Map<Id, number>();
  readonly #ghostsSince = new Map<string, number>();
  /** How often each path was written in the present minute. */
  readonly #writes = new Map<string, number>();
  #minute = 0;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** I1: no second cluster where one has served, or is on record. */
  onFound(member: Member): void {
    const { writer } = this.#simulation;
    const { clusterId } = member.directory;
    if (writer.hasWrittenTo(clusterId))
      this.#broken('I1', `${member.settings.name} bootstraps ${clusterId} again, which has served`);
    const cluster = this.#simulation.cluster();
    const recorded = cluster?.status?.clusterID;
    const isOurs = member.settings.name.startsWith(`${cluster?.metadata?.name}-`);
    if (recorded && isOurs && this.#isOfPresentCluster(member))
      this.#broken('I1', `${member.settings.name} bootstraps ${clusterId} while ${recorded} is on record`);
  }

  /** I2: whoever leads has every acknowledged write. */
  onLeader(leader: Member): void {
    const { world, writer } = this.#simulation;
    // A copy that a restore works on is no member that anybody reaches.
    if (!world.isOpenToPeers(leader)) return;
    const lost = writer.lostBy(leader);
    if (lost) this.#broken('I2', lost);
  }

  /** I3 and I4, for calls to etcd. */
  onCall(member: Member, method: string, request: Uint8Array): void {
    const leader = this.#leaderOf(member);
    if (!leader) return;
    const { state } = leader;
    if (method === 'Maintenance/Alarm') this.#alarmCall(state, request);
    if (method === 'Cluster/MemberAdd') {
      const { isLearner } = messages.memberAddRequest.decode(request);
      if (!isLearner) this.#broken('I4', 'a voter is added without being a learner first');
      this.#addition(leader);
    }
    if (method !== 'Cluster/MemberRemove') return;
    const id = messages.memberIdRequest.decode(request).id.toString(16);
    const voters = state.voters().filter((voter) => voter.id !== id);
    const isVoter = voters.length < state.voters().length;
    if (isVoter) this.#keepsQuorum(`member remove ${id}`, leader, id, voters.length);
  }

  /**
   * I4: learners side by side only beside a single voter, where all that run let them in. While a voter is missed, only whoever
   * replaces it is added.
   */
  #addition(leader: Member): void {
    const { world, size } = this.#simulation;
    const { state } = leader;
    const voters = state.voters();
    const learners = state.members.size - voters.length;
    const running = [...world.ether.members].filter(({ id }) => state.members.has(id));
    const isLimited = running.some(({ settings }) => settings.maxLearners <= learners);
    if (learners > 0 && voters.length > 1) this.#broken('I4', 'a second learner is added beside several voters');
    if (learners > 0 && isLimited) this.#broken('I4', `learner ${learners + 1} is added where not all let it in`);
    const healthy = voters.filter(({ id }) => !this.#isMissed(id)).length;
    if (healthy < voters.length && healthy + learners >= size)
      this.#broken('I4', `a member is added to ${healthy} of ${voters.length} voters, and ${size} are wanted`);
  }

  #isMissed(id: Id): boolean {
    const since = this.#missedSince.get(id);
    return since !== undefined && this.#simulation.clock.monotonic() - since >= knownAfter;
  }

  /** Space is freed by people. CORRUPT is disarmed when all voters that run hold the same, and not before. */
  #alarmCall(state: AppliedState, request: Uint8Array): void {
    const { action, alarm } = messages.alarmRequest.decode(request);
    if (action !== 'deactivate') return;
    if (alarm !== 'corrupt') this.#broken('I2', `${alarm} is disarmed without freeing space`);
    const odd = rottenMembers(this.#simulation).find(({ id }) => state.members.get(id)?.isLearner === false);
    if (odd) this.#broken('I2', `CORRUPT is disarmed while ${odd.settings.name} holds a value that nobody wrote`);
  }

  /** I3, I5 and I6, for requests to the API server. */
  onWrite({ method, path, body, headers }: TransportRequest): void {
    const [plain = ''] = path.split('?');
    const parts = plain.split('/');
    const text = String(body ?? '');
    const name = parts.at(-1) ?? '';
    this.#countWrite(plain);
    if (method === 'DELETE' && !/"uid":"[^"]+"/.test(text)) this.#broken('I6', `DELETE ${plain} without a UID`);
    if (method === 'PUT' && !/"resourceVersion":"[^"]+"/.test(text))
      this.#broken('I6', `PUT ${plain} without a resourceVersion`);
    const isApply = String(headers?.['content-type'] ?? '').includes('apply-patch');
    const isFree = /\/(events|leases)\//.test(plain);
    if (method === 'PATCH' && !isApply && !isFree && !precondition.test(text))
      this.#broken('I6', `PATCH ${plain} without a precondition: ${text.slice(0, 200)}`);
    if (method === 'DELETE' && plain.includes('/pods/')) this.#podDeletion(name);
    if (method === 'DELETE' && plain.includes('/persistentvolumeclaims/')) this.#claimDeletion(name);
  }

  /** What has no effect is tried again after a pause. */
  #countWrite(path: string): void {
    const minute = Math.floor(this.#simulation.clock.monotonic() / 60_000);
    if (minute !== this.#minute) this.#writes.clear();
    this.#minute = minute;
    const count = (this.#writes.get(path) ?? 0) + 1;
    this.#writes.set(path, count);
    if (count === mostWrites) this.#broken('liveness', `${path} is written ${count} times within a minute`);
  }

  /** Who is missed, and I8: nobody is sent to a removed member. */
  onBeat(): void {
    const { world, clock } = this.#simulation;
    const now = clock.monotonic();
    const leader = this.#simulation.leader();
    if (!leader) return;
    for (const { id } of leader.state.voters()) {
      const isThere = id === leader.id || world.ether.wire.peer(leader, id) !== undefined;
      if (isThere) this.#missedSince.delete(id);
      else if (!this.#missedSince.has(id)) this.#missedSince.set(id, now);
    }
    for (const { pod } of world.simPods()) this.#noteGhost(leader, pod, now);
  }

  #noteGhost(leader: Member, pod: SimPod, now: number): void {
    const stored = this.#simulation.world.stored.get(pod.uid);
    const isServed = stored?.metadata?.labels?.['app'] === 'etcd' && pod.isReady;
    const isGhost = pod.member !== undefined && leader.state.removed.has(pod.member.id) && isServed;
    const since = this.#ghostsSince.get(pod.uid) ?? now;
    if (isGhost) this.#ghostsSince.set(pod.uid, since);
    else this.#ghostsSince.delete(pod.uid);
    if (isGhost && now - since > servedFor)
      this.#broken('I8', `${pod.name} was removed and clients are still sent to it`);
  }

  #podDeletion(name: string): void {
    const leader = this.#simulation.leader();
    const found = this.#simulation.world.simPods().find(({ pod }) => pod.name === name);
    const id = found?.pod.member?.id;
    if (!leader || id === undefined || !leader.state.voters().some((voter) => voter.id === id)) return;
    if (this.#isAskedFor(leader)) return;
    if (found?.pod.stopAt === undefined)
      this.#keepsQuorum(`deletion of pod ${name}`, leader, id, leader.state.voters().length);
  }

  /** Whoever changes a variable of a single member, or of two where no third is wanted, has asked for their restart: one by one. */
  #isAskedFor(leader: Member): boolean {
    const { podEdits, size, world } = this.#simulation;
    const voters = leader.state.voters();
    const isWhole = voters.every(({ id }) => id === leader.id || world.ether.wire.peer(leader, id) !== undefined);
    return podEdits.variable !== undefined && voters.length <= 2 && (voters.length === 1 || size <= 2) && isWhole;
  }

  /** I5: a listed member keeps its volume, as long as its cluster is there; so do members that a restore has replaced. */
  #claimDeletion(name: string): void {
    const leader = this.#simulation.leader();
    const claim = this.#simulation.world.server.feed
      .list(persistentVolumeClaims)
      .find(({ metadata }) => metadata?.name === name);
    const { labels: marks = {}, annotations: notes = {} } = claim?.metadata ?? {};
    const incarnation = this.#simulation.cluster()?.metadata?.annotations?.[annotations.incarnation];
    const isOld = notes[annotations.clusterId] && Number(marks[labels.incarnation] ?? 1) < Number(incarnation ?? 1);
    const isOurs = marks[labels.cluster] === clusterKey.name;
    if (isOurs && (isOld || marks[labels.keptByRestore]))
      this.#broken('I5', `PVC ${name} of an incarnation before is deleted`);
    const directory = this.#simulation.world.directories.get(`claim/${claim?.metadata?.uid}`);
    const isListed =
      directory && leader?.directory.clusterId === directory.clusterId && leader.state.members.has(directory.memberId);
    if (isListed) this.#broken('I5', `PVC ${name} is deleted while its member ${directory.memberId} is listed`);
  }

  /** What was there before is there after; who vanished a moment ago could not be known. */
  #keepsQuorum(what: string, leader: Member, victim: Id, voters: number): void {
    const { world } = this.#simulation;
    const all = leader.state.voters();
    const isThere = (id: Id) => id === leader.id || world.ether.wire.peer(leader, id) !== undefined;
    const isBelieved = (id: Id) => isThere(id) || !this.#isMissed(id);
    const quorum = (size: number) => Math.floor(size / 2) + 1;
    if (all.filter(({ id }) => isThere(id)).length < quorum(all.length)) return;
    const left = all.filter(({ id }) => id !== victim && isBelieved(id)).length;
    if (voters > 0 && left < quorum(voters)) this.#broken('I3', `${what} leaves ${left} of ${voters} voters`);
  }

  #isOfPresentCluster(member: Member): boolean {
    const cluster = this.#simulation.cluster();
    const pod = [...this.#simulation.world.stored.values()].find(
      ({ metadata }) => metadata?.name === member.settings.name,
    );
    return pod?.metadata?.ownerReferences?.[0]?.uid === cluster?.metadata?.uid;
  }

  #leaderOf(member: Member): Member | undefined {
    const leader = this.#simulation.leader();
    return leader?.directory.clusterId === member.directory.clusterId ? leader : undefined;
  }

  #broken(rule: string, what: string): void {
    this.#simulation.fail(`${rule}: ${what}`);
  }
}
