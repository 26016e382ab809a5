// SPDX-License-Identifier: Apache-2.0
import type { MemberPod, Observation } from '../observation.ts';
import { type Assessment, assess } from './assessment.ts';
import { bootstrap } from './bootstrap.ts';
import { corruptionOf, describeCorruption } from './corruption.ts';
import { mustBeReplaced } from './dead-member.ts';
import { disarmVoters } from './disarm.ts';
import { fenceEarlierLives, unfencePresentLife } from './earlier-lives.ts';
import { gated } from './gated.ts';
import { grow, isGrowthStuck } from './grow.ts';
import { heal } from './heal.ts';
import { type Identity, identify } from './identity.ts';
import { leftovers } from './leftovers.ts';
import { later, type Proposal, waitFor } from './proposal.ts';
import { applyDrift, needSurge } from './replace.ts';
import { settleImages } from './settle.ts';
import { shrink, shrinkUnhealthy } from './shrink.ts';
import type { PlannedStep, Wait } from './step.ts';
import { budget, services } from './surroundings.ts';
import { refuseTlsChange } from './tls-change.ts';
import { isCutOff } from './unreachable.ts';
import { upgrade } from './upgrade.ts';
import { revive, withoutQuorum } from './without-quorum.ts';

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
  /** What the spec asks for cannot be done to a living cluster; it is left as it is. */
  | 'refused'
  /** An EtcdRestore is bringing its next life, which has no identity yet. */
  | 'restoring'
  /** Members answer, but their access control keeps us out. */
  | 'locked'
  | 'bootstrapping'
  | 'quorumLost'
  /** Too few members can be reached for a quorum, and yet a quorum of pods is Ready: only the operator is cut off. */
  | 'unreachable'
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
    finish(situation, identity, assessIfPossible(observation, identity, now), { steps: [], waits });
  if (cluster.deleting) return idle('deleting');
  // A restore is asked for after the pause, and its members are nobody's yet.
  if (cluster.paused && !cluster.restore) return idle('paused');
  if ('problems' in cluster.desired) return idle('invalid');
  if (observation.oldOperator) {
    const reason = `the original operator is alive (${observation.oldOperator}): scale it down, nothing is touched before`;
    return idle('oldOperator', { reason, lookAgainAfter: later });
  }
  if (identity.kind === 'conflict')
    return idle('identityConflict', { reason: identity.detail, lookAgainAfter: rarely });
  const { desired } = cluster;
  if (cluster.restore && identity.kind === 'unlatched')
    return finish('restoring', identity, undefined, whileRestoring(observation, cluster.restore.name));
  const ground = [
    ...services(observation),
    ...fenceEarlierLives(observation, identity.incarnation),
    ...unfencePresentLife(observation, identity.incarnation),
  ];
  if (identity.kind === 'unlatched') {
    const birth = bootstrap(observation, desired, identity);
    return finish('bootstrapping', identity, undefined, merge(ground, birth));
  }
  return planLatched(assess(observation, desired, identity, now), identity, ground);
}

/** Until the restored seed has answered, everything but the Services is the restore operator's (operator rule 4). */
function whileRestoring(observation: Observation, restore: string): Proposal {
  const reason = `EtcdRestore ${restore} brings the data of this cluster's next life; until then nothing else is done`;
  return { steps: services(observation), waits: [{ reason, lookAgainAfter: rarely }] };
}

/** How soon to look again at what only a person can change. */
const rarely = 60_000;

/** A cluster that is left alone is still looked at, so that its status tells the truth. */
function assessIfPossible(observation: Observation, identity: Identity, now: number): Assessment | undefined {
  const { desired } = observation.cluster;
  return identity.kind === 'latched' && !('problems' in desired)
    ? assess(observation, desired, identity, now)
    : undefined;
}

function planLatched(assessment: Assessment, identity: Latched, ground: readonly PlannedStep[]): Plan {
  const { observation, desired } = assessment;
  const { membership } = observation.etcd;
  const idle = (situation: Situation, reason: string, lookAgainAfter: number): Plan =>
    finish(situation, identity, assessment, { steps: [], waits: [{ reason, lookAgainAfter }] });
  if (membership.kind === 'known' && membership.clusterId !== identity.clusterId) {
    const reason = `the members form cluster ${membership.clusterId}, but ${identity.clusterId} is recorded: nothing is touched`;
    // An address may have led astray for a moment: that passes without anybody's doing, and without a word.
    return idle('identityConflict', reason, later);
  }
  const refused = refuseTlsChange(assessment);
  if (refused) return idle('refused', refused, rarely);
  const always = [
    ...ground,
    ...repairLatch(identity, assessment.observation.pods),
    ...disarmVoters(assessment),
    ...settleImages(assessment),
  ];
  if (membership.kind === 'unknown' && membership.locked !== undefined) {
    const wait = { reason: membership.locked, lookAgainAfter: later };
    const revived = merge(always, { steps: revive(assessment), waits: [wait] });
    return finish('locked', identity, assessment, gated(assessment, revived));
  }
  const stuck = withoutQuorum(assessment);
  if (stuck) {
    const situation = isCutOff(assessment) ? 'unreachable' : 'quorumLost';
    return finish(situation, identity, assessment, gated(assessment, merge(always, stuck)));
  }
  const tidy = [...always, ...leftovers(assessment), ...budget(observation, desired, assessment.voters.length)];
  const [situation, proposal] = decide(assessment);
  return finish(situation, identity, assessment, gated(assessment, merge(tidy, proposal)));
}

type Latched = Extract<Identity, { kind: 'latched' }>;

/** The first rule that has something to say decides. */
function decide(assessment: Assessment): readonly [Situation, Proposal | undefined] {
  const corruption = corruptionOf(assessment);
  if (corruption) return ['healing', heal(assessment) ?? waitFor(describeCorruption(assessment, corruption), later)];
  const surging = needSurge(assessment).length > 0;
  const target = targetOf(assessment, surging);
  const leaving = shrinkUnhealthy(assessment, target);
  if (leaving) return ['scalingDown', leaving];
  const healing = heal(assessment);
  if (healing) return ['healing', healing];
  const shrinking = shrink(assessment, target);
  if (shrinking) return [surging ? 'updating' : 'scalingDown', shrinking];
  const growing = grow(assessment, target);
  if (growing) return besideGrowth(assessment, surging, growing);
  return atSize(assessment);
}

function atSize(assessment: Assessment): readonly [Situation, Proposal | undefined] {
  const upgrading = upgrade(assessment);
  if (upgrading) return ['upgrading', upgrading];
  const updating = applyDrift(assessment);
  if (updating) return ['updating', updating];
  return ['steady', undefined];
}

/** A pod that cannot come up is reported; it does not hold up what the voters need (checklist 54). */
function besideGrowth(assessment: Assessment, surging: boolean, growing: Proposal): readonly [Situation, Proposal] {
  const { voters, desired } = assessment;
  const situation = surging ? 'updating' : growthOf(voters.length, desired.size);
  if (growing.steps.length > 0 || !isGrowthStuck(assessment)) return [situation, growing];
  const [, meanwhile] = atSize(assessment);
  return [situation, merge(meanwhile?.steps ?? [], growing)];
}

/** One member more than asked for while somebody is being replaced by adding first; never more than one. */
function targetOf(assessment: Assessment, surging: boolean): number {
  const { desired, own, learners, voters } = assessment;
  const replacing = surging || voters.some((view) => mustBeReplaced(assessment, view));
  const mayExceed = own.length === desired.size || learners.length > 0;
  return desired.size + (replacing && mayExceed ? 1 : 0);
}

/** A cluster that is at or above its size while a learner catches up is being repaired, not scaled. */
function growthOf(voters: number, size: number): Situation {
  return voters < size ? 'scalingUp' : 'healing';
}

/** An operator may have ended between disarming the founder and latching: the founder's pod still knows the birth. */
function repairLatch({ needsRepair, clusterId, incarnation }: Latched, pods: readonly MemberPod[]): PlannedStep[] {
  if (!needsRepair) return [];
  const [bornVersion = ''] = pods.filter((pod) => pod.incarnation === incarnation).flatMap((pod) => birthOf(pod) ?? []);
  return [
    {
      step: { do: 'latchIdentity', clusterId, incarnation, bornVersion },
      reason: `records that this object is etcd cluster ${clusterId}, so that no other can ever be founded in its place`,
    },
  ];
}

/** Of a founder: what is noted on it, or what it runs if it has not even been disarmed. */
function birthOf({ bornVersion, boot, memberId, previousVersion, version }: MemberPod): string | undefined {
  if (bornVersion) return bornVersion;
  return boot === 'new' && memberId === '' && previousVersion === '' ? version : undefined;
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
    steps: proposal.steps.map((planned) => ({ ...planned, reason: clip(planned.reason) })),
    waits: proposal.waits.map((wait) => ({ ...wait, reason: clip(wait.reason) })),
    situation,
    identity,
    assessment,
    lookAgainAfter: delays.length > 0 ? Math.min(...delays) : undefined,
  };
}

/** What `status.plan` takes. */
function clip(reason: string): string {
  return reason.length > 1024 ? `${reason.slice(0, 1023)}…` : reason;
}
