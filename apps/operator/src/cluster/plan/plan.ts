// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../desired.ts';
import type { Observation } from '../observation.ts';
import { type Assessment, assess } from './assessment.ts';
import { bootstrap } from './bootstrap.ts';
import { disarmVoters } from './disarm.ts';
import { grow } from './grow.ts';
import { heal, isBeyondRepair } from './heal.ts';
import { type Identity, identify } from './identity.ts';
import { leftovers } from './leftovers.ts';
import { later, type Proposal } from './proposal.ts';
import { applyDrift, needSurge } from './replace.ts';
import { shrink } from './shrink.ts';
import type { PlannedStep, Wait } from './step.ts';
import { budget, services } from './surroundings.ts';
import { upgrade } from './upgrade.ts';
import { withoutQuorum } from './without-quorum.ts';

/** What is to be done about a cluster, and why. */
export interface Plan {
  /** To be carried out in this order, at most one change of voters among them. */
  readonly steps: readonly PlannedStep[];
  readonly waits: readonly Wait[];
  /** What the cluster is at, for status, events and metrics. */
  readonly situation: Situation;
  readonly identity: Identity;
  /** Present once an identity is latched and the spec is valid. */
  readonly assessment: Assessment | undefined;
  /** When to look again if nothing happens before, in milliseconds; undefined if only an event can change anything. */
  readonly lookAgainAfter: number | undefined;
}

export type Situation =
  | 'deleting'
  | 'invalid'
  | 'paused'
  | 'oldOperator'
  | 'identityConflict'
  | 'bootstrapping'
  | 'quorumLost'
  | 'healing'
  | 'scalingUp'
  | 'scalingDown'
  | 'upgrading'
  | 'updating'
  | 'steady';

/**
 * Decides what to do about one cluster. Pure, synchronous and total: no clock, no chance, no I/O, and a plan for everything
 * the schema allows. The order of the rules is the operator's order of priorities: identity before everything, healing before
 * scaling, scaling before upgrading.
 */
export function planCluster(observation: Observation, now: number): Plan {
  const { cluster } = observation;
  const identity = identify(observation);
  const idle = (situation: Situation, ...waits: Wait[]): Plan =>
    finish(situation, identity, undefined, { steps: [], waits });
  if (cluster.deleting) return idle('deleting');
  if (cluster.paused) return idle('paused');
  if ('problems' in cluster.desired) return idle('invalid');
  if (observation.oldOperator) {
    const reason = `the original operator is alive (${observation.oldOperator}): scale it down, nothing is touched before`;
    return idle('oldOperator', { reason, lookAgainAfter: later });
  }
  if (identity.kind === 'conflict')
    return idle('identityConflict', { reason: identity.detail, lookAgainAfter: 60_000 });
  const { desired } = cluster;
  const ground = services(observation);
  if (identity.kind === 'unlatched') {
    const birth = bootstrap(observation, desired, identity.incarnation);
    return finish('bootstrapping', identity, undefined, merge(ground, birth));
  }
  return planLatched(observation, desired, identity, ground, now);
}

function planLatched(
  observation: Observation,
  desired: Desired,
  identity: Extract<Identity, { kind: 'latched' }>,
  ground: readonly PlannedStep[],
  now: number,
): Plan {
  const assessment = assess(observation, desired, identity, now);
  const { membership } = observation.etcd;
  if (membership.kind === 'known' && membership.clusterId !== identity.clusterId) {
    const reason = `the members form cluster ${membership.clusterId}, but ${identity.clusterId} is recorded: nothing is touched`;
    return finish('identityConflict', identity, assessment, { steps: [], waits: [{ reason, lookAgainAfter: 60_000 }] });
  }
  const always = [...ground, ...repairLatch(identity, assessment), ...disarmVoters(assessment)];
  const stuck = withoutQuorum(assessment);
  if (stuck) return finish('quorumLost', identity, assessment, merge(always, stuck));
  const tidy = [...always, ...leftovers(assessment), ...budget(observation, desired, assessment.voters.length)];
  const [situation, proposal] = decide(assessment);
  return finish(situation, identity, assessment, merge(tidy, proposal));
}

/** The first rule that has something to say decides. */
function decide(assessment: Assessment): readonly [Situation, Proposal | undefined] {
  const { desired, voters } = assessment;
  const healing = heal(assessment);
  if (healing) return ['healing', healing];
  const surging = needSurge(assessment).length > 0;
  const target = targetOf(assessment, surging);
  const shrinking = shrink(assessment, target);
  if (shrinking) return [surging ? 'updating' : 'scalingDown', shrinking];
  const growing = grow(assessment, target);
  if (growing) return [surging ? 'updating' : growthOf(voters.length, desired.size), growing];
  const upgrading = upgrade(assessment);
  if (upgrading) return ['upgrading', upgrading];
  const updating = applyDrift(assessment);
  if (updating) return ['updating', updating];
  return ['steady', undefined];
}

/** One member more than asked for while somebody is being replaced by adding first; never more than one. */
function targetOf({ desired, members, learners, voters }: Assessment, surging: boolean): number {
  const replacing = surging || voters.some((view) => isBeyondRepair(view));
  const mayExceed = members.length === desired.size || learners.length > 0;
  return desired.size + (replacing && mayExceed ? 1 : 0);
}

/** A cluster that is at or above its size while a learner catches up is being repaired, not scaled. */
function growthOf(voters: number, size: number): Situation {
  return voters < size ? 'scalingUp' : 'healing';
}

function repairLatch(identity: Extract<Identity, { kind: 'latched' }>, assessment: Assessment): PlannedStep[] {
  if (!identity.needsRepair) return [];
  const { clusterId, incarnation } = identity;
  return [
    {
      step: { do: 'latchIdentity', clusterId, incarnation, bornVersion: bornVersion(assessment) },
      reason: `records that this object is etcd cluster ${clusterId}, so that no other can ever be founded in its place`,
    },
  ];
}

/** A cluster of one member that this operator made has just been founded, with the version its pod names. */
function bornVersion({ members, observation }: Assessment): string {
  const [only] = members;
  if (observation.cluster.bornVersion !== undefined || members.length !== 1 || !only?.pod || only.pod.adopted)
    return '';
  return only.pod.version;
}

function merge(steps: readonly PlannedStep[], proposal: Proposal | undefined): Proposal {
  return { steps: [...steps, ...(proposal?.steps ?? [])], waits: proposal?.waits ?? [] };
}

function finish(
  situation: Situation,
  identity: Identity,
  assessment: Assessment | undefined,
  proposal: Proposal,
): Plan {
  const delays = proposal.waits.map((wait) => wait.lookAgainAfter);
  return {
    steps: proposal.steps,
    waits: proposal.waits,
    situation,
    identity,
    assessment,
    lookAgainAfter: delays.length > 0 ? Math.min(...delays) : undefined,
  };
}
