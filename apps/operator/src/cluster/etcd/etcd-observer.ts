// SPDX-License-Identifier: Apache-2.0
import {
  type Dialer,
  type EtcdError,
  formatId,
  isEtcdError,
  type MemberClient,
  type MemberStatus,
  memberNameFromPeerUrl,
} from '@etcd-operator/etcd';
import type { Clock } from '@etcd-operator/ports';
import type { Answer, EtcdMember, EtcdView, Membership } from '../observation.ts';
import { type ClusterCredentials, MemberPool, type MemberTarget } from './member-pool.ts';
import {
  type EndpointAccess,
  joiningTimeoutMs,
  readClusterVersion,
  readEntriesApplied,
  readRaftSnapshots,
} from './plain-endpoints.ts';

export interface EtcdObserverOptions {
  readonly clock: Clock;
  readonly dial?: Dialer;
}

/** What beyond health is asked for; each costs a request a member. */
export interface EtcdQuestions {
  /** True while the version is about to change: cluster version and raft snapshots matter then. */
  readonly aboutUpgrade: boolean;
}

/**
 * An address whose pod is going answers at once or never: nothing may be left there that would even refuse. Nobody waits for it
 * while the pod's successor could be made.
 */
const endingTimeoutMs = 300;

/**
 * For so long somebody who joins is asked with little patience: its port takes connections before it serves there. Later it gets the
 * time that a slow machine needs.
 */
const newFor = 5_000;

interface Memory {
  readonly answering: boolean;
  readonly hasAnswered: boolean;
  readonly since: number;
}

/**
 * Looks at the etcd of one cluster: asks every pod for its status, then one voter for the linearizable member list. Remembers
 * since when each has answered or been silent. Changes nothing.
 */
export class EtcdObserver {
  readonly #clock: Clock;
  readonly #dial: Dialer | undefined;
  readonly #pool: MemberPool;
  readonly #memory = new Map<string, Memory>();
  readonly #leaderless = new Map<string, number>();
  readonly #closedSince = new Map<string, number>();
  readonly #firstSeen = new Map<string, number>();
  /** Why members did not let us look, the last time they were asked. */
  #locked: string | undefined;

  constructor(options: EtcdObserverOptions) {
    this.#clock = options.clock;
    this.#dial = options.dial;
    this.#pool = new MemberPool(options);
  }

  /** The clients behind the last look, for acting on what it found. */
  clients(targets: readonly MemberTarget[], credentials: ClusterCredentials): ReadonlyMap<string, MemberClient> {
    return this.#pool.clients(targets, credentials);
  }

  async look(
    targets: readonly MemberTarget[],
    credentials: ClusterCredentials,
    questions: EtcdQuestions,
    signal: AbortSignal,
  ): Promise<EtcdView> {
    const clients = this.#pool.clients(targets, credentials);
    this.#locked = undefined;
    const statuses = new Map<string, MemberStatus>();
    const answers = new Map<string, Answer>();
    const access = { clock: this.#clock, dial: this.#dial, credentials, signal };
    await Promise.all(
      targets.map(async (target) => {
        const client = clients.get(target.podName);
        if (!client) return;
        answers.set(target.podName, await this.#ask(target, client, statuses, questions, access));
      }),
    );
    this.#forgetAllBut(targets);
    const membership = await this.#membership(clients, statuses, signal);
    const clusterVersion = questions.aboutUpgrade ? await findClusterVersion(targets, statuses, access) : '';
    return { membership, clusterVersion, answers };
  }

  close(): void {
    this.#pool.close();
  }

  async #ask(
    target: MemberTarget,
    client: MemberClient,
    statuses: Map<string, MemberStatus>,
    questions: EtcdQuestions,
    access: EndpointAccess,
  ): Promise<Answer> {
    const { signal } = access;
    const silent = (why: string): Answer => {
      const since = this.#since(target.podUid, false);
      const neverAnswered = this.#memory.get(target.podUid)?.hasAnswered === false;
      return { kind: 'silent', since, why, ...(neverAnswered && { neverAnswered }) };
    };
    if (target.hasEnded) return silent('its process has ended');
    const isJoining = target.isJoining === true && this.#memory.get(target.podUid)?.hasAnswered !== true;
    const isNew = isJoining && this.#clock.now() - this.#since(target.podUid, false) < newFor;
    try {
      const status = await client.maintenance.status({
        signal,
        ...(target.isEnding && { timeoutMs: endingTimeoutMs }),
        ...(isNew && { timeoutMs: joiningTimeoutMs }),
      });
      statuses.set(target.podName, status);
      const raftSnapshots = questions.aboutUpgrade ? await readRaftSnapshots(target, access) : undefined;
      const leaderlessSince = this.#leaderlessSince(target.podUid, status.leader === 0n);
      return answerOf(status, { since: this.#since(target.podUid, true), leaderlessSince, raftSnapshots });
    } catch (error) {
      signal.throwIfAborted();
      if (!isEtcdError(error)) throw error;
      const locked = lockedOut(error);
      if (locked !== undefined) this.#locked = locked;
      return (isJoining ? await this.#closed(target, access) : undefined) ?? silent(error.message);
    }
  }

  /** Of one that joins and keeps its client port closed; undefined if it is not up at all. */
  async #closed(target: MemberTarget, access: EndpointAccess): Promise<Answer | undefined> {
    const applied = await readEntriesApplied(target, access);
    if (applied === undefined) return undefined;
    const since = this.#closedSince.get(target.podUid) ?? this.#clock.now();
    this.#closedSince.set(target.podUid, since);
    return { kind: 'peerOnly', since, applied };
  }

  /** Whoever answers and votes may be asked; the one with the most applied entries first. */
  async #membership(
    clients: ReadonlyMap<string, MemberClient>,
    statuses: ReadonlyMap<string, MemberStatus>,
    signal: AbortSignal,
  ): Promise<Membership> {
    const voters = [...statuses]
      .filter(([, status]) => !status.isLearner && status.leader !== 0n)
      .sort(([, a], [, b]) => Number(b.raftIndex - a.raftIndex));
    let why = statuses.size === 0 ? 'no member answers' : 'no member that answers knows a leader';
    for (const [name] of voters.slice(0, 3)) {
      try {
        const response = await clients.get(name)?.cluster.memberList({ signal });
        if (!response) continue;
        const members = response.members.map((member) => this.#memberOf(member));
        this.#forgetMembersBut(members);
        return { kind: 'known', clusterId: formatId(response.header.clusterId), members };
      } catch (error) {
        signal.throwIfAborted();
        if (!isEtcdError(error)) throw error;
        why = error.message;
        this.#locked ??= lockedOut(error);
      }
    }
    const remembered = await this.#remembered(clients, statuses, signal);
    return { kind: 'unknown', why, remembered, ...(this.#locked !== undefined && { locked: this.#locked }) };
  }

  /** The list as a voter that answers has it in mind: without a quorum there is no better one, and it may be old. */
  async #remembered(
    clients: ReadonlyMap<string, MemberClient>,
    statuses: ReadonlyMap<string, MemberStatus>,
    signal: AbortSignal,
  ): Promise<readonly EtcdMember[]> {
    const [voter] = [...statuses].find(([, status]) => !status.isLearner) ?? [];
    const client = voter === undefined ? undefined : clients.get(voter);
    try {
      const response = await client?.cluster.memberList({ linearizable: false, signal });
      return response?.members.map((member) => this.#memberOf(member)) ?? [];
    } catch (error) {
      signal.throwIfAborted();
      if (!isEtcdError(error)) throw error;
      return [];
    }
  }

  #memberOf(member: { id: bigint; name: string; peerUrls: readonly string[]; isLearner: boolean }): EtcdMember {
    const id = formatId(member.id);
    const seenSince = this.#firstSeen.get(id) ?? this.#clock.now();
    this.#firstSeen.set(id, seenSince);
    const [peerUrl = ''] = member.peerUrls;
    const found = memberNameFromPeerUrl(peerUrl);
    return {
      id,
      name: member.name,
      podName: found.ok ? found.name : peerUrl,
      peerURLs: member.peerUrls,
      isLearner: member.isLearner,
      seenSince,
    };
  }

  #since(uid: string, answering: boolean): number {
    const known = this.#memory.get(uid);
    if (known?.answering === answering) return known.since;
    const since = this.#clock.now();
    this.#memory.set(uid, { answering, since, hasAnswered: answering || known?.hasAnswered === true });
    return since;
  }

  /** 0 while it knows a leader. */
  #leaderlessSince(uid: string, isLeaderless: boolean): number {
    if (!isLeaderless) {
      this.#leaderless.delete(uid);
      return 0;
    }
    const since = this.#leaderless.get(uid) ?? this.#clock.now();
    this.#leaderless.set(uid, since);
    return since;
  }

  #forgetMembersBut(members: readonly EtcdMember[]): void {
    const listed = new Set(members.map((member) => member.id));
    for (const id of this.#firstSeen.keys()) if (!listed.has(id)) this.#firstSeen.delete(id);
  }

  #forgetAllBut(targets: readonly MemberTarget[]): void {
    const present = new Set(targets.map((target) => target.podUid));
    for (const memory of [this.#memory, this.#leaderless, this.#closedSince]) {
      for (const uid of memory.keys()) if (!present.has(uid)) memory.delete(uid);
    }
  }
}

/** What a person can do about a member's access control that keeps us out; undefined if that is not what failed. */
export function lockedOut({ code, message }: EtcdError): string | undefined {
  switch (code) {
    case 'LoginRequired':
      return 'access control is on: name a secret with username and password of a user with the role root in spec.auth.secret';
    case 'LoginFailed':
    case 'PermissionDenied':
      return `the user of spec.auth.secret is refused (${message}): it must have the role root, and its password be right`;
    default:
      return undefined;
  }
}

async function findClusterVersion(
  targets: readonly MemberTarget[],
  statuses: ReadonlyMap<string, MemberStatus>,
  access: EndpointAccess,
): Promise<string> {
  for (const target of targets) {
    const version = statuses.has(target.podName) ? await readClusterVersion(target, access) : '';
    if (version) return version;
  }
  return '';
}

function answerOf(
  status: MemberStatus,
  remembered: Pick<Extract<Answer, { kind: 'status' }>, 'since' | 'leaderlessSince' | 'raftSnapshots'>,
): Answer {
  return {
    kind: 'status',
    memberId: formatId(status.memberId),
    clusterId: formatId(status.clusterId),
    version: status.version,
    leaderId: status.leader === 0n ? '' : formatId(status.leader),
    isLearner: status.isLearner,
    revision: Number(status.revision),
    raftIndex: Number(status.raftIndex),
    raftAppliedIndex: Number(status.raftAppliedIndex ?? status.raftIndex),
    dbSize: status.dbSize,
    alarms: status.errors,
    ...remembered,
    downgradeTarget: status.downgrade?.targetVersion ?? '',
    storageVersion: status.storageVersion ?? '',
  };
}
