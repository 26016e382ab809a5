// SPDX-License-Identifier: Apache-2.0
import type { Observation } from '../observation.ts';
import { type Assessment, assess } from './assessment.ts';
import { bootstrap } from './bootstrap/bootstrap.ts';
import { clearBootstrapOfVoters } from './bootstrap/clear-bootstrap.ts';
import { gated } from './gated.ts';
import { corruptionOf, describeCorruption } from './healing/corruption.ts';
import { mustBeReplaced } from './healing/dead-member.ts';
import { heal } from './healing/heal.ts';
import { type Identity, identify, type Recorded } from './identity/identify.ts';
import { isolatePreviousIncarnations, unisolatePresentIncarnation } from './identity/previous-incarnations.ts';
import { repairRecord } from './identity/record-identity.ts';
import { later, type Proposal, waitFor } from './proposal.ts';
import { isCutOff } from './quorum/unreachable.ts';
import { isUpgradeRestart } from './quorum/upgrade-restart.ts';
import { startFromVolumes, withoutQuorum } from './quorum/without-quorum.ts';
import { confirmImages } from './rolling/confirm-image.ts';
import { applyDrift, membersToReplace } from './rolling/replace.ts';
import { refuseTlsChange } from './rolling/tls-change.ts';
import { upgrade } from './rolling/upgrade.ts';
import { grow, isGrowthStuck } from './scaling/grow.ts';
import { leftovers } from './scaling/leftovers.ts';
import { shrink, shrinkUnhealthy } from './scaling/shrink.ts';
import { budget } from './services/disruption-budget.ts';
import { services } from './services/services.ts';
import type { PlannedStep, Wait } from './step.ts';

/** What to do about a cluster, and why. */
export interface Plan {
  /** To be carried out in this order. At most one of them changes voters. */
  readonly steps: readonly PlannedStep[];
  readonly waits: readonly Wait[];
  /** Why a step could not be done or had no effect; absent until the step was tried. */
  readonly trouble?: string;
  /** The state of the cluster, for status, events and metrics. */
  readonly situation: Situation;
  readonly identity: Identity;
  /** Present once an identity is recorded and the spec is valid. */
  readonly assessment: Assessment | undefined;
  /** When to reconcile again if no event comes earlier, in milliseconds; undefined if only an event can change anything. */
  readonly retryAfter: number | undefined;
}

export type Situation =
  | 'deleting'
  | 'invalid'
  | 'paused'
  | 'coreosOperator'
  | 'identityConflict'
  /** The spec asks for something that is not possible for a running cluster, or not allowed. The cluster is left as it is. */
  | 'refused'
  /** An EtcdRestore is creating the next incarnation, which has no identity yet. */
  | 'restoring'
  /** Members are reachable, but authentication is enabled in etcd, and etcd refuses the operator. */
  | 'locked'
  | 'bootstrapping'
  | 'quorumLost'
  /** Too few members are reachable for a quorum, but a quorum of pods is Ready: only the operator is cut off. */
  | 'unreachable'
  | 'healing'
  | 'scalingUp'
  | 'scalingDown'
  | 'upgrading'
  | 'updating'
  | 'steady';

/**
 * Decides what to do about one cluster. Pure, synchronous and total: no clock, no randomness, no I/O, and a plan for everything that the
 * schema allows. The rules in order; the first that applies decides, and those marked + only add steps:
 *
 *  1. an EtcdCluster that is being deleted is left alone: its objects are garbage collected
 *  2. spec.paused: nothing is changed
 *  3. a spec that is not valid is reported: nothing is changed
 *  4. a CoreOS etcd-operator holds its lock: nothing is changed
 *  5. records of the cluster ID contradict each other: nothing is changed
 *  6. the administrator does not allow pods of this spec: nothing is changed
 *  7. an EtcdRestore is in progress: only the Services are maintained
 *  8. + Services that are missing or were changed; pods of a previous incarnation are isolated
 *  9. no cluster ID is recorded: bootstrap, or adopt running pods (`bootstrap/`)
 * 10. the members belong to another cluster than the recorded one: nothing is changed
 * 11. spec.TLS was switched on or off: nothing is changed
 * 12. + a missing cluster ID is recorded, the bootstrap configuration of voters is cleared, images are confirmed
 * 13. etcd refuses the operator's login: members on volumes get their pods, nothing else
 * 14. too few voters for a quorum: pods and images are corrected, no member is added or removed (`quorum/`)
 * 15. + what removed members left behind is deleted; the PodDisruptionBudget follows the voters
 * 16. CORRUPT is raised: healing only (`healing/`)
 * 17. one surplus member that is not healthy is removed (`scaling/`)
 * 18. members are repaired (`healing/`)
 * 19. one surplus member is removed
 * 20. missing members are added (`scaling/`, `joining/`); while none of them can start, 21 and 22 go on
 * 21. the version is changed (`rolling/`)
 * 22. other changes of the spec are applied
 *
 * Every destructive step passes the gate last (`gated.ts`).
 */
export function planCluster(observation: Observation, now: number): Plan {
  const { cluster } = observation;
  const identity = identify(observation);
  const idle = (situation: Situation, ...waits: Wait[]): Plan =>
    finish(situation, identity, assessIfPossible(observation, identity, now), { steps: [], waits });
  if (cluster.deleting) return idle('deleting');
  // A restore takes precedence over the pause, because the user requested it later and its members are not managed yet.
  if (cluster.paused && !cluster.restore) return idle('paused');
  if ('problems' in cluster.desired) return idle('invalid');
  if (observation.coreosOperator) {
    const reason = `The CoreOS etcd-operator still holds its lock (${observation.coreosOperator}). Scale it to 0; reconciliation is suspended until then.`;
    return idle('coreosOperator', { reason, retryAfter: later });
  }
  if (identity.kind === 'conflict') return idle('identityConflict', { reason: identity.detail, retryAfter: rarely });
  const { desired, refusals = [] } = cluster;
  // Running members are not changed and continue to serve, and the status still reports their state.
  if (refusals.length > 0) return idle('refused', { reason: refusals.join(' '), retryAfter: later });
  if (cluster.restore && identity.kind === 'unrecorded')
    return finish('restoring', identity, undefined, whileRestoring(observation, cluster.restore.name));
  const ground = [
    ...services(observation),
    ...isolatePreviousIncarnations(observation, identity.incarnation),
    ...unisolatePresentIncarnation(observation, identity.incarnation),
  ];
  if (identity.kind === 'unrecorded') {
    const bootstrapping = bootstrap(observation, desired, identity);
    return finish('bootstrapping', identity, undefined, merge(ground, bootstrapping));
  }
  return planRecorded(assess(observation, desired, identity, now), identity, ground);
}

/** Until the restored seed has answered, the restore operator owns everything except the Services (operator rule 4). */
function whileRestoring(observation: Observation, restore: string): Proposal {
  const reason = `EtcdRestore ${restore} is in progress; reconciliation is suspended until it finishes.`;
  return { steps: services(observation), waits: [{ reason, retryAfter: rarely }] };
}

/** How soon to reconcile again if only a person can change the situation. */
const rarely = 60_000;

/** A cluster in which nothing is changed is still observed, so that its status stays correct. */
function assessIfPossible(observation: Observation, identity: Identity, now: number): Assessment | undefined {
  const { desired } = observation.cluster;
  return identity.kind === 'recorded' && !('problems' in desired)
    ? assess(observation, desired, identity, now)
    : undefined;
}

function planRecorded(assessment: Assessment, identity: Recorded, ground: readonly PlannedStep[]): Plan {
  const { observation, desired } = assessment;
  const { membership } = observation.etcd;
  const idle = (situation: Situation, reason: string, retryAfter: number): Plan =>
    finish(situation, identity, assessment, { steps: [], waits: [{ reason, retryAfter }] });
  if (membership.kind === 'known' && membership.clusterId !== identity.clusterId) {
    const reason = `The members report cluster ID ${membership.clusterId}, but ${identity.clusterId} is recorded. The operator changes nothing until both cluster IDs are the same.`;
    // The address of a pod may have led to another member for a moment. This ends without any action, so the members are asked again soon.
    return idle('identityConflict', reason, later);
  }
  const refused = refuseTlsChange(assessment);
  if (refused) return idle('refused', refused, rarely);
  const always = [
    ...ground,
    ...repairRecord(identity, assessment.observation.pods),
    ...clearBootstrapOfVoters(assessment),
    ...confirmImages(assessment),
  ];
  if (membership.kind === 'unknown' && membership.locked !== undefined) {
    const wait = { reason: membership.locked, retryAfter: later };
    const revived = merge(always, { steps: startFromVolumes(assessment), waits: [wait] });
    return finish('locked', identity, assessment, gated(assessment, revived));
  }
  const stuck = withoutQuorum(assessment);
  if (stuck) {
    return finish(situationWithoutQuorum(assessment), identity, assessment, gated(assessment, merge(always, stuck)));
  }
  const tidy = [...always, ...leftovers(assessment), ...budget(observation, desired, assessment.voters.length)];
  const [situation, proposal] = decide(assessment);
  return finish(situation, identity, assessment, gated(assessment, merge(tidy, proposal)));
}

function situationWithoutQuorum(assessment: Assessment): Situation {
  if (isUpgradeRestart(assessment)) return 'upgrading';
  return isCutOff(assessment) ? 'unreachable' : 'quorumLost';
}

/** The first rule that returns a proposal decides. */
function decide(assessment: Assessment): readonly [Situation, Proposal | undefined] {
  const corruption = corruptionOf(assessment);
  if (corruption) return ['healing', heal(assessment) ?? waitFor(describeCorruption(assessment, corruption), later)];
  const isUpdating = membersToReplace(assessment).length > 0;
  const target = targetOf(assessment, isUpdating);
  const leaving = shrinkUnhealthy(assessment, target);
  if (leaving) return ['scalingDown', leaving];
  const healing = heal(assessment);
  if (healing) return ['healing', healing];
  const shrinking = shrink(assessment, target);
  if (shrinking) return [isUpdating ? 'updating' : 'scalingDown', shrinking];
  const growing = grow(assessment, target);
  if (growing) return besideGrowth(assessment, isUpdating, growing);
  return atSize(assessment);
}

function atSize(assessment: Assessment): readonly [Situation, Proposal | undefined] {
  const upgrading = upgrade(assessment);
  if (upgrading) return ['upgrading', upgrading];
  const updating = applyDrift(assessment);
  if (updating) return ['updating', updating];
  return ['steady', undefined];
}

/** A joining pod that cannot start is reported, but does not block changes that the voters need (checklist 54). */
function besideGrowth(assessment: Assessment, isUpdating: boolean, growing: Proposal): readonly [Situation, Proposal] {
  const { voters, desired } = assessment;
  const situation = isUpdating ? 'updating' : growthOf(voters.length, desired.size);
  if (growing.steps.length > 0 || !isGrowthStuck(assessment)) return [situation, growing];
  const [, meanwhile] = atSize(assessment);
  return [situation, merge(meanwhile?.steps ?? [], growing)];
}

/** The wanted number of members: one more than spec.size while a replacement is added before the old member is removed, never more. */
function targetOf(assessment: Assessment, isUpdating: boolean): number {
  const { desired, own, learners, voters } = assessment;
  const replacing = isUpdating || voters.some((view) => mustBeReplaced(assessment, view));
  const mayExceed = own.length === desired.size || learners.length > 0;
  return desired.size + (replacing && mayExceed ? 1 : 0);
}

/** A cluster that is at or above its size while a learner catches up is being repaired, not scaled. */
function growthOf(voters: number, size: number): Situation {
  return voters < size ? 'scalingUp' : 'healing';
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
  const delays = proposal.waits.map((wait) => wait.retryAfter);
  return {
    steps: proposal.steps.map((planned) => ({ ...planned, reason: clip(planned.reason) })),
    waits: proposal.waits.map((wait) => ({ ...wait, reason: clip(wait.reason) })),
    situation,
    identity,
    assessment,
    retryAfter: delays.length > 0 ? Math.min(...delays) : undefined,
  };
}

/** Shortens a reason to the length that `status.plan` allows. */
function clip(reason: string): string {
  return reason.length > 1024 ? `${reason.slice(0, 1023)}…` : reason;
}
