// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@operator-parts/etcd';
import { type LostQuorum, objectionsTo } from '../../../safety/gate.ts';
import type { Assessment } from '../assessment.ts';
import { membersNamed, sentence } from '../sentence.ts';
import type { PlannedStep } from '../step.ts';
import { type LostVoter, lostVoters, recordedVoterCount } from './lost-voters.ts';
import { isCutOff } from './unreachable.ts';

/**
 * The name of the EtcdRestore for the automatic recovery of an incarnation. There is one name per incarnation: of two operators, only one
 * can create the EtcdRestore, and a failed recovery is not repeated until the EtcdRestore is deleted.
 */
export function recoveryName(cluster: string, clusterId: string): string {
  return `${cluster}-recovery-${clusterId}`;
}

/**
 * With `spec.recovery.quorumLoss: Automatic`, a cluster whose majority is permanently lost is recovered from the remaining members by an
 * ordinary EtcdRestore. The restore itself chooses the member to recover from, and may still fail. The safety gate checks that no lost
 * member may return.
 */
export function recoverQuorum(assessment: Assessment): readonly PlannedStep[] {
  const { desired, clusterId, observation } = assessment;
  if (desired.quorumLoss !== 'Automatic' || observation.recovery?.kind === 'begun' || isCutOff(assessment)) return [];
  const { left, gone, mayReturn, evidence } = survey(assessment);
  if (left.length === 0 || gone.length + mayReturn.length === 0) return [];
  const name = recoveryName(observation.cluster.name, clusterId);
  const why = evidence.length > 0 ? `: ${evidence.join('; ')}` : '';
  const survivors = membersNamed(namesOf(left));
  return [
    {
      step: { do: 'recoverQuorum', name, clusterId, lost: namesOf(gone) },
      reason: `Recovering from ${survivors} with EtcdRestore ${name}${why}. Acknowledged writes that ${survivors} did not receive are lost.`,
    },
  ];
}

/** The facts by which the safety gate judges a recovery. */
export function lostQuorum(assessment: Assessment): LostQuorum {
  const { observation, desired, now, pods } = assessment;
  const { membership, answers } = observation.etcd;
  const { left, gone, mayReturn } = survey(assessment);
  const voters = recordedVoterCount(assessment);
  const sinceLost = membership.kind === 'unknown' ? membership.since : undefined;
  const turns = [sinceLost, ...left.map(({ state }) => (state.kind === 'left' ? state.leaderlessSince : undefined))];
  // If it is unknown since when a remaining member has had no leader, its waiting time counts as 0.
  const waited = Math.min(...turns.map((since) => (since === undefined || since === 0 ? 0 : now - since)));
  const alarms = [...answers.values()].flatMap((answer) => (answer.kind === 'status' ? answer.alarms : []));
  return {
    survivors: namesOf(left),
    mayReturn,
    gone: gone.length,
    voters,
    needed: voters === 0 ? 0 : quorum(voters),
    readyPods: [...pods.values()].filter(({ ready }) => ready).map(({ name }) => name),
    attempt: observation.recovery?.kind ?? 'unknown',
    isCorrupt: alarms.some((alarm) => alarm.includes('CORRUPT')),
    waited,
    patience: desired.recoverAfter,
  };
}

/**
 * Sentences that say what can be done about a lost quorum: which members remain, what would be lost, and the command. Undefined if no
 * majority is known to be permanently lost.
 */
export function describeRecovery(assessment: Assessment): string | undefined {
  const { desired, observation, clusterId } = assessment;
  const { name } = observation.cluster;
  const { recovery } = observation;
  const { left, gone } = survey(assessment);
  const lost = membersNamed(namesOf(gone));
  if (recovery?.kind === 'begun') return describeBegun(recoveryName(name, clusterId), name, recovery);
  const isForGood = objectionsTo('recoverQuorum', lostQuorum(assessment)).every(({ name: why }) => isAboutTime(why));
  if (!isForGood) return undefined;
  const found = left.map(({ name: member, state }) =>
    state.kind === 'left' ? `${member} (revision ${state.revision})` : member,
  );
  const whole = `Permanently lost: ${lost}.`;
  const price = `Acknowledged writes that only ${lost} had received would be lost.`;
  switch (desired.quorumLoss) {
    case 'Never':
      return `${whole} spec.recovery.quorumLoss is Never: restore a backup with an EtcdRestore, see runbook quorum-lost.`;
    case 'Manual':
      return `${whole} To recover from ${membersNamed(found)}, run kubectl etcd recover ${name} --yes. ${price} See runbook quorum-lost.`;
    case 'Automatic':
      return `${whole} After ${desired.recoverAfter / 1000} s without a quorum the operator recovers from ${membersNamed(found)}. ${price}`;
  }
}

/** True for objections that end by themselves, or that only say that a recovery was attempted. */
function isAboutTime(objection: string): boolean {
  return objection === 'StillPatient' || objection === 'Attempted';
}

function describeBegun(
  restore: string,
  cluster: string,
  { phase, reason }: { readonly phase: string; readonly reason: string },
): string {
  if (phase !== 'Failed')
    return `EtcdRestore ${restore} recovers the cluster from the remaining members${phase === '' ? '' : ` (${phase})`}.${reason === '' ? '' : ` The EtcdRestore waits: ${sentence(reason)}`}`;
  return `Automatic recovery failed and is not repeated: ${sentence(reason)} Run kubectl etcd recover ${cluster}, or delete EtcdRestore ${restore} to repeat the automatic recovery.`;
}

function survey(assessment: Assessment) {
  const voters = lostVoters(assessment);
  const of = (kind: LostVoter['state']['kind']) => voters.filter(({ state }) => state.kind === kind);
  return {
    left: of('left'),
    gone: of('gone'),
    evidence: voters.flatMap(({ state }) => (state.kind === 'gone' ? [state.evidence] : [])),
    mayReturn: voters.flatMap(({ state }) => (state.kind === 'mayReturn' ? [state.why] : [])),
  };
}

function namesOf(voters: readonly LostVoter[]): readonly string[] {
  return voters.map(({ name }) => name);
}
