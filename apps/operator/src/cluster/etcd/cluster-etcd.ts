// SPDX-License-Identifier: Apache-2.0
import { isEtcdError, type MemberClient, parseId } from '@operator-parts/etcd';
import type { ActContext, StepOutcome } from '../act/act-context.ts';
import type { MemberView } from '../plan/assessment.ts';
import type { AlarmName } from '../plan/rolling/disruption.ts';
import { lockedOut } from './etcd-observer.ts';

/** etcd writes concurrent entries to disk together, which is much cheaper than writing the same entries one after another. */
const entriesAtOnce = 64;

/** A member as `member add` returns it. */
export interface ListedMember {
  readonly name: string;
  readonly peerUrls: readonly string[];
}

type Voter = Pick<MemberView, 'name'> & { readonly member: Pick<MemberView['member'], 'id'> };

/** The voters to which changes may be sent. */
interface Voters {
  readonly healthyVoters: readonly Voter[];
  readonly leader: Voter | undefined;
}

/**
 * Changes to the membership and leadership of one cluster. Each change is sent once, to a voter that has just answered. If the outcome of a
 * change is unknown, the next reconciliation reads from etcd whether the change took effect; the change is never sent again to find this
 * out (safety rule 6). `fence` is called right before each change: it throws if this process no longer holds the lease, or if the plan is
 * too old.
 */
export class ClusterEtcd {
  readonly #voters: readonly { readonly id: string; readonly client: MemberClient }[];
  readonly #signal: AbortSignal;
  readonly #fence: () => void;

  constructor(
    voters: Voters | undefined,
    clients: ReadonlyMap<string, MemberClient>,
    { fence, signal }: Pick<ActContext, 'fence' | 'signal'>,
  ) {
    this.#voters = reachable(voters, clients);
    this.#signal = signal;
    this.#fence = fence;
  }

  /** Resolves with the member list that the new member must boot with, or with the reason why etcd refuses the change for now. */
  async memberAdd(
    peerUrl: string,
    isLearner: boolean,
  ): Promise<{ readonly members: readonly ListedMember[] } | StepOutcome> {
    try {
      const client = this.#anyVoter();
      const { members } = await client.cluster.memberAdd({ peerUrls: [peerUrl], isLearner }, this.#change());
      return { members };
    } catch (error) {
      return refusal(
        error,
        'Unhealthy',
        'NotEnoughStarted',
        'TooManyLearners',
        'PeerUrlExists',
        'MemberExists',
        'LeaderChanged',
        'NoLeader',
      );
    }
  }

  async memberRemove(memberId: string): Promise<StepOutcome> {
    return this.#attempt(async () => {
      await this.#anyVoter(memberId).cluster.memberRemove(idOf(memberId), this.#change());
    }, ['Unhealthy', 'NotEnoughStarted', 'LeaderChanged', 'NoLeader']);
  }

  async memberUpdate(memberId: string, peerUrl: string): Promise<StepOutcome> {
    return this.#attempt(async () => {
      await this.#anyVoter().cluster.memberUpdate(idOf(memberId), [peerUrl], this.#change());
    }, ['PeerUrlExists', 'Unhealthy', 'LeaderChanged', 'NoLeader']);
  }

  /**
   * Writes entries after a promotion, because only the next entry records on disk that the promotion was committed. If all members lost
   * power before that, they would start with the previous list of voters. If a disk was lost as well, these voters might not have a quorum.
   */
  async memberPromote(memberId: string): Promise<StepOutcome> {
    const outcome = await this.#attempt(async () => {
      await this.#anyVoter().cluster.memberPromote(idOf(memberId), this.#change());
    }, ['LearnerNotReady', 'MemberNotLearner', 'MemberNotFound', 'Unhealthy', 'LeaderChanged', 'NoLeader']);
    // The promotion counts even if these writes fail.
    if (outcome.kind === 'done') await this.writeHarmlessEntries(2).catch(() => undefined);
    return outcome;
  }

  async moveLeader(from: string, to: string): Promise<StepOutcome> {
    const leader = this.#voters.find((voter) => voter.id === from);
    if (!leader) return { kind: 'refused', why: `leader ${from} is not reachable.` };
    return this.#attempt(async () => {
      await leader.client.maintenance.moveLeader(idOf(to), this.#change());
    }, ['NotLeader', 'BadLeaderTransferee', 'NoLeader', 'LeaderChanged']);
  }

  /** Writes entries that leave no data behind: leases that are granted and revoked, several at the same time if there are many. */
  async writeHarmlessEntries(count: number): Promise<StepOutcome> {
    return this.#attempt(async () => {
      const client = this.#anyVoter();
      let left = Math.ceil(count / 2);
      const write = async () => {
        while (left-- > 0) {
          const { id } = await client.lease.grant(60, this.#change());
          await client.lease.revoke(id, this.#change());
        }
      };
      await Promise.all(Array.from({ length: Math.min(left, entriesAtOnce) }, write));
    }, ['NoLeader', 'LeaderChanged', 'NoSpace']);
  }

  async enableDowngrade(version: string): Promise<StepOutcome> {
    return this.#attempt(async () => {
      await this.#anyVoter().maintenance.downgradeEnable(version, this.#change());
    }, ['DowngradeInProgress', 'InvalidDowngradeTarget', 'Unhealthy', 'NoLeader']);
  }

  async cancelDowngrade(): Promise<StepOutcome> {
    return this.#attempt(async () => {
      await this.#anyVoter().maintenance.downgradeCancel(this.#change());
    }, ['NoDowngradeInProgress', 'NoLeader', 'LeaderChanged']);
  }

  async disarmAlarm(memberId: string, alarm: AlarmName): Promise<StepOutcome> {
    return this.#attempt(async () => {
      const kind = alarm === 'NOSPACE' ? 'nospace' : 'corrupt';
      await this.#anyVoter().maintenance.disarmAlarm(idOf(memberId), kind, this.#change());
    }, ['NoLeader', 'LeaderChanged']);
  }

  /** The options of every request that changes something. `fence` is called here, and again right before the request is sent. */
  #change(): Pick<ActContext, 'fence' | 'signal'> {
    this.#fence();
    return { signal: this.#signal, fence: this.#fence };
  }

  /** A reachable voter, but not `butNot`. The leader is preferred, because it is connected to all other members. */
  #anyVoter(butNot?: string): MemberClient {
    const voter = this.#voters.find((candidate) => candidate.id !== butNot);
    if (!voter) throw new Error('no voter is reachable');
    return voter.client;
  }

  async #attempt(change: () => Promise<void>, refusals: Parameters<typeof isEtcdError>[1][]): Promise<StepOutcome> {
    try {
      await change();
      return { kind: 'done' };
    } catch (error) {
      if (isEtcdError(error, 'MemberNotFound') && !refusals.includes('MemberNotFound')) return { kind: 'done' };
      return refusal(error, ...refusals);
    }
  }
}

/** Turns errors that are expected from etcd into an outcome; every other error is a failure and is thrown. */
function refusal(error: unknown, ...codes: Parameters<typeof isEtcdError>[1][]): StepOutcome {
  if (isEtcdError(error, ...codes)) return { kind: 'refused', why: error.message };
  const locked = isEtcdError(error) ? lockedOut(error) : undefined;
  if (locked !== undefined) return { kind: 'impossible', why: locked };
  if (isEtcdError(error) && error.outcomeUnknown)
    return {
      kind: 'refused',
      why: `${error.message}. It is not known whether the request took effect; the operator reads the member list again.`,
    };
  throw error;
}

function idOf(text: string): bigint {
  const id = parseId(text);
  if (id === undefined) throw new TypeError(`not a member ID: ${text}`);
  return id;
}

function reachable(voters: Voters | undefined, clients: ReadonlyMap<string, MemberClient>) {
  const { healthyVoters = [], leader } = voters ?? {};
  const leaderFirst = (a: Voter, b: Voter) => Number(b === leader) - Number(a === leader);
  return [...healthyVoters].sort(leaderFirst).flatMap((view) => {
    const client = clients.get(view.name);
    return client ? [{ id: view.member.id, client }] : [];
  });
}
