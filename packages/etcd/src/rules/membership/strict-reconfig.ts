// SPDX-License-Identifier: Apache-2.0

import { type EtcdVersion, isAtLeast, versionOf } from '../versions/version.ts';
import { quorum } from './quorum.ts';

/** How long two members must have been connected before etcd trusts the connection (its `HealthInterval`). */
export const healthIntervalMs = 5_000;

/** One member as the serving member sees it: the member that receives the request. */
export interface ReconfigMember {
  readonly id: string;
  readonly voter: boolean;
  /** True if the member has published its name: its process has run at least once. */
  readonly started: boolean;
  /**
   * For how many milliseconds the serving member has been connected to this one; undefined if it is not connected. For
   * the serving member itself, any number will do.
   */
  readonly connectedForMs: number | undefined;
}

/** The cluster as the serving member sees it. */
export interface ReconfigView {
  readonly servedBy: { readonly id: string; readonly version: EtcdVersion };
  /** All members, voters and learners. */
  readonly members: readonly ReconfigMember[];
}

/** A membership change. */
export type Reconfig =
  | { readonly kind: 'addVoter' }
  | { readonly kind: 'addLearner' }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'promote'; readonly id: string; readonly inSync: boolean };

/**
 * The predicted answer of etcd's strict reconfiguration check. After `NotEnoughStarted`, members have to start first;
 * after `LearnerNotReady`, the learner has to catch up first. `Unhealthy` ends when connections have lasted long enough
 * (operator rule 14): wait at least `waitMs`, if it is known.
 */
export type ReconfigVerdict =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      readonly code: 'Unhealthy' | 'NotEnoughStarted' | 'LearnerNotReady' | 'MemberNotFound';
      readonly waitMs: number | undefined;
      readonly reason: string;
    };

const accepted: ReconfigVerdict = { accepted: true };

/**
 * Predicts etcd's own check, which is enabled by default and never disabled by this operator. The prediction is for
 * planning only: etcd itself decides.
 */
export function reconfigVerdict(view: ReconfigView, change: Reconfig): ReconfigVerdict {
  switch (change.kind) {
    case 'addVoter':
      return addVoter(view);
    case 'addLearner':
      return connectedForAdd(view);
    case 'remove':
      return remove(view, change.id);
    case 'promote':
      return promote(view, change.id, change.inSync);
  }
}

function addVoter(view: ReconfigView): ReconfigVerdict {
  const voters = view.members.filter((member) => member.voter);
  const started = count(voters, (member) => member.started);
  const needed = quorum(voters.length + 1);
  // etcd allows adding a second voter, although the new voter then blocks every write until it starts.
  const growsFromOne = voters.length === 1 && started === 1;
  if (!growsFromOne && started < needed) return notEnough(started, needed, 'adding a voter');
  return connectedForAdd(view);
}

/**
 * The check of additions: the serving member must have been connected long enough to enough voters, including itself.
 */
function connectedForAdd(view: ReconfigView): ReconfigVerdict {
  const voters = view.members.filter((member) => member.voter);
  if (voters.length <= 1) return accepted;
  const needed = needsOnlyQuorum(view.servedBy.version) ? quorum(voters.length + 1) : voters.length;
  return connected(view, voters, needed, 'adding a member');
}

function remove(view: ReconfigView, id: string): ReconfigVerdict {
  const target = view.members.find((member) => member.id === id);
  if (!target) return unknownMember(id);
  if (!target.voter) return accepted;
  const voters = view.members.filter((member) => member.voter);
  const others = voters.filter((member) => member.id !== id);
  const started = count(others, (member) => member.started);
  const needed = quorum(others.length);
  if (started < needed) return notEnough(started, needed, 'removing a voter');
  const isDown = id !== view.servedBy.id && target.connectedForMs === undefined;
  if (isDown) return accepted;
  return connected(view, voters, quorum(voters.length - 1) + 1, 'removing a reachable voter');
}

function promote(view: ReconfigView, id: string, inSync: boolean): ReconfigVerdict {
  const target = view.members.find((member) => member.id === id);
  if (!target || target.voter) return unknownMember(id);
  if (!inSync || !target.started) {
    const reason = `learner ${id} has not caught up with the leader`;
    return { accepted: false, code: 'LearnerNotReady', waitMs: undefined, reason };
  }
  const voters = view.members.filter((member) => member.voter);
  const started = count(voters, (member) => member.started) + 1;
  const needed = quorum(voters.length + 1);
  return started < needed ? notEnough(started, needed, 'promoting a learner') : accepted;
}

function connected(
  view: ReconfigView,
  voters: readonly ReconfigMember[],
  needed: number,
  action: string,
): ReconfigVerdict {
  const ages = voters.map((member) =>
    member.id === view.servedBy.id ? Number.POSITIVE_INFINITY : member.connectedForMs,
  );
  const lasting = ages.filter((age) => age !== undefined && age > healthIntervalMs).length;
  if (lasting >= needed) return accepted;
  const young = ages
    .filter((age) => age !== undefined && age <= healthIntervalMs)
    .toSorted((a, b) => Number(b) - Number(a));
  // The youngest of the needed connections decides how long to wait. With too few connections, waiting does not help.
  const decisive = young[needed - lasting - 1];
  return {
    accepted: false,
    code: 'Unhealthy',
    waitMs: decisive === undefined ? undefined : healthIntervalMs - decisive + 1,
    reason: `${action} needs voters connected for more than 5 s: ${needed}; member ${view.servedBy.id} sees ${lasting} of ${voters.length}`,
  };
}

/**
 * From 3.5.30, 3.6.11 and 3.7.0 on a quorum of the larger cluster is enough; before, every voter had to be connected.
 */
function needsOnlyQuorum(version: EtcdVersion): boolean {
  if (version.minor === 5) return isAtLeast(version, versionOf('3.5.30'));
  return isAtLeast(version, versionOf('3.6.11'));
}

function notEnough(started: number, needed: number, action: string): ReconfigVerdict {
  const reason = `${action} needs started voters: ${needed}; started: ${started}`;
  return { accepted: false, code: 'NotEnoughStarted', waitMs: undefined, reason };
}

function unknownMember(id: string): ReconfigVerdict {
  const reason = `member ${id} does not exist, or is not a learner`;
  return { accepted: false, code: 'MemberNotFound', waitMs: undefined, reason };
}

function count(members: readonly ReconfigMember[], test: (member: ReconfigMember) => boolean): number {
  return members.filter(test).length;
}
