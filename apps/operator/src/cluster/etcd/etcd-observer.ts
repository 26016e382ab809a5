// SPDX-License-Identifier: Apache-2.0
import {
  type Dialer,
  type EtcdError,
  formatId,
  isEtcdError,
  type MemberClient,
  type MemberStatus,
  memberNameFromPeerUrl,
} from '@operator-parts/etcd';
import type { Clock } from '@operator-parts/ports';
import { FirstSeen } from '../../first-seen.ts';
import type { Answer, EtcdMember, EtcdView, Membership } from '../observation.ts';
import { AnswerHistory } from './answer-history.ts';
import { DataHashes } from './data-hashes.ts';
import { type ClusterCredentials, MemberPool, type MemberTarget } from './member-pool.ts';
import { PeerTraffic } from './peer-traffic.ts';
import {
  type EndpointAccess,
  joiningTimeoutMs,
  readBytesFromPeers,
  readClusterVersion,
  readEntriesApplied,
  readRaftSnapshots,
} from './plain-endpoints.ts';
import { statusOrApplied } from './status-or-applied.ts';
import { isAnyVoterUnanswered, isStray, isUnhealthyVoter, withoutStrays } from './stray-answers.ts';

export interface EtcdObserverOptions {
  readonly clock: Clock;
  readonly dial?: Dialer;
}

/** What to ask in addition to health; each question costs one request per member. */
export interface EtcdQuestions {
  /** True while the version is about to change: then the cluster version and raft snapshots are needed. */
  readonly aboutUpgrade: boolean;
  /** True if something is about to be deleted: every member is asked over a new connection. @default false */
  readonly reconnect?: boolean;
}

/**
 * The timeout for a pod that is terminating. Such a pod answers at once or never: when its network is gone, connections are not even
 * refused. Waiting longer would delay the replacement of the pod.
 */
const endingTimeoutMs = 300;

/**
 * During this time a joining member is asked with a short timeout, because its port accepts connections before it serves. Afterwards the
 * timeout is long enough for a slow machine.
 */
const newFor = 5_000;

/**
 * A joining member that serves sends its status a few milliseconds after its metrics. This limit is longer, because a busy machine is
 * slower.
 */
const servesWithinMs = 150;

/** How members are asked in this observation, and where their answers are stored. */
interface Round {
  readonly clients: Map<string, MemberClient>;
  readonly statuses: Map<string, MemberStatus>;
  readonly questions: EtcdQuestions;
  readonly access: EndpointAccess;
}

/**
 * Observes the etcd of one cluster: asks every pod for its status, then one voter for the linearizable member list. Remembers since when
 * each pod has answered or not. Changes nothing.
 */
export class EtcdObserver {
  readonly #clock: Clock;
  readonly #dial: Dialer | undefined;
  readonly #pool: MemberPool;
  readonly #memory: AnswerHistory;
  readonly #traffic = new PeerTraffic();
  readonly #hashes: DataHashes;
  /**
   * When each member ID was first listed. The key `quorum` says since when there has been a quorum, the key `no quorum` since when there
   * has been none.
   */
  readonly #listed: FirstSeen;
  /** Why etcd refused the operator when the members were last asked; undefined if it did not. */
  #locked: string | undefined;

  constructor(options: EtcdObserverOptions) {
    this.#clock = options.clock;
    this.#dial = options.dial;
    this.#pool = new MemberPool(options);
    this.#memory = new AnswerHistory(options.clock);
    this.#listed = new FirstSeen(options.clock);
    this.#hashes = new DataHashes(options.clock);
  }

  /** The clients of the last observation, which the steps of the plan use. */
  clients(targets: readonly MemberTarget[], credentials: ClusterCredentials): ReadonlyMap<string, MemberClient> {
    return this.#pool.clients(targets, credentials);
  }

  async observe(
    targets: readonly MemberTarget[],
    credentials: ClusterCredentials,
    questions: EtcdQuestions,
    signal: AbortSignal,
  ): Promise<EtcdView> {
    if (questions.reconnect) this.#pool.close();
    const clients = new Map(this.#pool.clients(targets, credentials));
    this.#locked = undefined;
    const statuses = new Map<string, MemberStatus>();
    const answers = new Map<string, Answer>();
    const access = { clock: this.#clock, dial: this.#dial, credentials, signal };
    await Promise.all(
      targets.map(async (target) => {
        answers.set(target.podName, await this.#ask(target, { clients, statuses, questions, access }));
      }),
    );
    this.#forgetAllBut(targets);
    const own = withoutStrays(targets, statuses);
    const membership = await this.#membership(clients, own, signal);
    const clusterVersion = questions.aboutUpgrade ? await findClusterVersion(targets, statuses, access) : '';
    const isMissed = isAnyVoterUnanswered(membership, answers);
    const heard =
      isMissed || targets.some((target) => isUnhealthyVoter(target, answers.get(target.podName)))
        ? await this.#hear(targets, answers, access)
        : new Map();
    return { membership, clusterVersion, answers, heard, hashes: await this.#hashes.compare(clients, own, signal) };
  }

  close(): void {
    this.#pool.close();
  }

  async #ask(target: MemberTarget, round: Round): Promise<Answer> {
    if (target.hasEnded) return this.#unreachable(target, 'its container has stopped');
    if (target.ip === '') return this.#unreachable(target, 'its pod has no IP address');
    const { access, clients, statuses, questions } = round;
    const { signal } = access;
    const isJoining = target.isJoining === true && !this.#memory.hasAnswered(target.podUid);
    try {
      const status = await (isJoining
        ? this.#joining(target, round)
        : this.#status(target, clients, { signal, ...(target.isEnding && { timeoutMs: endingTimeoutMs }) }));
      if (typeof status === 'number')
        return { kind: 'peerOnly', since: this.#memory.closedSince(target.podUid), applied: status };
      statuses.set(target.podName, status);
      const raftSnapshots = questions.aboutUpgrade ? await readRaftSnapshots(target, access) : undefined;
      const said = answerOf(status, raftSnapshots);
      return { ...said, ...this.#memory.answered(target.podUid, said) };
    } catch (error) {
      signal.throwIfAborted();
      if (!isEtcdError(error)) throw error;
      this.#locked ??= lockedOut(error);
      return this.#unreachable(target, error.message);
    }
  }

  #unreachable({ podUid }: MemberTarget, why: string): Answer {
    const { since, hasAnswered } = this.#memory.unanswered(podUid);
    return { kind: 'unreachable', since, why, ...(!hasAnswered && { neverAnswered: true }) };
  }

  async #status(
    target: MemberTarget,
    clients: Map<string, MemberClient>,
    options: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<MemberStatus> {
    const client = clients.get(target.podName) ?? this.#pool.renewed(target);
    const status = await client.maintenance.status(options);
    if (!isStray(target, status)) return status;
    // Another pod may have had this address a moment ago, and the old connection may lead to that pod. So the member is asked again over a
    // new connection.
    const again = this.#pool.renewed(target);
    clients.set(target.podName, again);
    return again.maintenance.status(options);
  }

  /** Which members receive traffic from which peers. Every member sends one large response for this. */
  async #hear(
    targets: readonly MemberTarget[],
    answers: ReadonlyMap<string, Answer>,
    access: EndpointAccess,
  ): Promise<EtcdView['heard']> {
    const heard = new Map<string, ReadonlySet<string>>();
    await Promise.all(
      targets.map(async (target) => {
        const answer = answers.get(target.podName);
        if (answer?.kind !== 'status' || target.ip === '') return;
        const bytes = await readBytesFromPeers(target, access);
        const found = bytes && this.#traffic.note(target.podUid, bytes, this.#clock.monotonic());
        if (found) heard.set(target.podName, found);
      }),
    );
    return heard;
  }

  /** The status of a joining member, or, while its client port is closed, the number of entries that it has applied. */
  #joining(target: MemberTarget, { access, clients }: Round): Promise<MemberStatus | number> {
    const isNew = this.#clock.monotonic() - this.#memory.unanswered(target.podUid).since < newFor;
    const status = async (signal: AbortSignal) => {
      try {
        return await this.#status(target, clients, { signal, ...(isNew && { timeoutMs: joiningTimeoutMs }) });
      } catch (error) {
        if (isEtcdError(error)) this.#locked ??= lockedOut(error);
        throw error;
      }
    };
    const applied = (signal: AbortSignal) => readEntriesApplied(target, { ...access, signal });
    // A client that must authenticate first takes longer. With the short limit, every attempt would end too early.
    const isQuick = isNew && access.credentials.login === undefined;
    const servesWithin = isQuick ? servesWithinMs : undefined;
    return statusOrApplied({ status, applied, servesWithin }, this.#clock, access.signal);
  }

  /** Asks the voters that answer, the one with the most applied entries first. */
  async #membership(
    clients: ReadonlyMap<string, MemberClient>,
    statuses: ReadonlyMap<string, MemberStatus>,
    signal: AbortSignal,
  ): Promise<Membership> {
    const voters = [...statuses]
      .filter(([, status]) => !status.isLearner && status.leader !== 0n)
      .sort(([, a], [, b]) => Number(b.raftIndex - a.raftIndex));
    let why = statuses.size === 0 ? 'no member is reachable' : 'no reachable member has a leader';
    for (const [name] of voters.slice(0, 3)) {
      try {
        const response = await clients.get(name)?.cluster.memberList({ signal });
        if (!response) continue;
        const members = response.members.map((member) => this.#memberOf(member));
        this.#listed.forgetAllBut(new Set(['quorum', ...members.map(({ id }) => id)]));
        const clusterId = formatId(response.header.clusterId);
        return { kind: 'known', clusterId, members, since: this.#listed.since('quorum') };
      } catch (error) {
        signal.throwIfAborted();
        if (!isEtcdError(error)) throw error;
        why = error.message;
        this.#locked ??= lockedOut(error);
      }
    }
    this.#listed.forget('quorum');
    const remembered = await this.#remembered(clients, statuses, signal);
    const since = this.#listed.since('no quorum');
    return { kind: 'unknown', why, since, remembered, ...(this.#locked !== undefined && { locked: this.#locked }) };
  }

  /** The member list of a voter that answers. It may be outdated, but without a quorum there is no better list. */
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
    const [peerUrl = ''] = member.peerUrls;
    const found = memberNameFromPeerUrl(peerUrl);
    return {
      id,
      name: member.name,
      podName: found.ok ? found.name : peerUrl,
      peerURLs: member.peerUrls,
      isLearner: member.isLearner,
      seenSince: this.#listed.since(id),
    };
  }

  #forgetAllBut(targets: readonly MemberTarget[]): void {
    const present = new Set(targets.map((target) => target.podUid));
    this.#memory.forgetAllBut(present);
    this.#traffic.forgetAllBut(present);
  }
}

/**
 * What a person can do if authentication is enabled in etcd and etcd refuses the operator (etcd fact 13); undefined if the error has
 * another cause.
 */
export function lockedOut({ code, message }: EtcdError): string | undefined {
  switch (code) {
    case 'LoginRequired':
      return 'Authentication is enabled in etcd. Set spec.auth.secret to a Secret with username and password of a user with the role root.';
    case 'LoginFailed':
    case 'PermissionDenied':
      return `etcd refuses the user of spec.auth.secret (${message}). This user needs the role root, and the password must be valid.`;
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

/** The answer without its times, which `AnswerHistory` adds. */
function answerOf(status: MemberStatus, raftSnapshots: number | undefined): Said {
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
    raftSnapshots,
    downgradeTarget: status.downgrade?.targetVersion ?? '',
    storageVersion: status.storageVersion ?? '',
  };
}

type Said = Omit<Extract<Answer, { kind: 'status' }>, 'since' | 'leaderlessSince' | 'identitySince'>;
