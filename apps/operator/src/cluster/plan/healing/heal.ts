// SPDX-License-Identifier: Apache-2.0
import { isAtLeast, parseVersion, versionOf } from '@operator-parts/etcd';
import { type Assessment, isPresent, type MemberView } from '../assessment.ts';
import { renewBootList } from '../joining/boot-list.ts';
import { finishJoin } from '../joining/finish-join.ts';
import { join } from '../joining/join.ts';
import { restartLearner } from '../joining/restart-learner.ts';
import { later, type Proposal, take, waitFor } from '../proposal.ts';
import { startFromVolumes } from '../quorum/without-quorum.ts';
import { moveLeadershipFrom } from '../rolling/leadership.ts';
import { mayRollBack, rollBackImage } from '../rolling/roll-back.ts';
import { clearOldAlarm } from './clear-old-alarm.ts';
import { corruptionOf } from './corruption.ts';
import { objectionsToRemoval, type Suspicion, suspicionOf } from './dead-member.ts';
import { restoreAddress } from './member-address.ts';
import { repairCorruption } from './repair-corruption.ts';
import { correctIdleMember, hasFailedImage } from './stuck-pod.ts';
import { removeOverdueUnmanaged } from './unmanaged-members.ts';
import { waitForVoters } from './wait-for-voters.ts';

/**
 * Repairs members, one at a time, while there is a quorum. Undefined if every listed member is healthy or starting. The first rule that has
 * something to do or to wait for decides:
 *
 *  1. a member whose volume exists and whose pod is gone gets a pod on this volume
 *  2. an image that does not work is rolled back
 *  3. a corrected spec is applied to a pod that does not run
 *  4. a member whose peer address was changed gets its own address again
 *  5. while CORRUPT is raised, members whose data differs are removed and the alarm is disarmed
 *  6. NOSPACE of a member that is not in the cluster is disarmed
 *  7. a joining member with an outdated member list gets the present list
 *  8. a learner that has the data and keeps its client port closed is restarted
 *  9. a member that was added and has no pod gets one
 * 10. an unmanaged learner that never started is removed
 * 11. a member whose data is gone is replaced
 * 12. a member that has not been reachable for spec.pod.replaceAfter is replaced
 * 13. wait for a voter that is not healthy
 */
export function heal(assessment: Assessment): Proposal | undefined {
  return (
    healFromVolumes(assessment) ??
    undoFailedImage(assessment) ??
    correctIdle(assessment) ??
    restoreAddress(assessment) ??
    repairCorruption(assessment) ??
    clearOldAlarm(assessment) ??
    renewBootList(assessment) ??
    restartLearner(assessment) ??
    finishJoin(assessment) ??
    removeOverdueUnmanaged(assessment) ??
    replaceFirst(assessment, (suspicion) => suspicion.isBeyondRepair) ??
    replaceFirst(assessment, () => true) ??
    waitForVoters(assessment)
  );
}

function healFromVolumes(assessment: Assessment): Proposal | undefined {
  const returning = assessment.own.filter(({ health }) => health.kind === 'podGone' || health.kind === 'podEnding');
  const names = new Set(returning.map((view) => view.name));
  const steps = startFromVolumes(assessment).filter(({ step }) => 'name' in step && names.has(step.name));
  return steps.length > 0 ? { steps, waits: [] } : undefined;
}

/** Rolls back the first member whose new image does not work. No other member is changed (operator rules 3 and 6). */
function undoFailedImage(assessment: Assessment): Proposal | undefined {
  const { own, now } = assessment;
  const failed = own.find(({ pod, health }) => {
    if (!pod || health.kind === 'healthy') return false;
    const unreachableSince = health.kind === 'unreachable' || health.kind === 'leaderless' ? health.since : now;
    return mayRollBack(assessment, pod) && hasFailedImage(pod, now, unreachableSince);
  });
  return failed?.pod && rollBackImage(failed.pod);
}

function correctIdle(assessment: Assessment): Proposal | undefined {
  for (const view of assessment.own) {
    const correction = correctIdleMember(assessment, view);
    if (correction) return correction;
  }
  return undefined;
}

/** Replaces one member: adds the new member first if etcd accepts that, otherwise removes the old member first (operator rules 7 and 14). */
function replaceFirst(assessment: Assessment, isMeant: (suspicion: Suspicion) => boolean): Proposal | undefined {
  const dead = assessment.own.filter((view) => {
    const suspicion = suspicionOf(assessment, view);
    return suspicion?.objections.length === 0 && isMeant(suspicion);
  });
  const [view] = [...dead].sort((a, b) => Number(b.member.isLearner) - Number(a.member.isLearner));
  if (!view) return undefined;
  const why = suspicionOf(assessment, view)?.why ?? '';
  const removal = take(
    { do: 'removeMember', memberId: view.member.id, name: view.name, because: 'dead' },
    `Replacing member ${view.name}: removing it, because ${why}.`,
  );
  if (view.member.isLearner) return removal;
  if (addsFirst(assessment, view)) {
    if (assessment.learners.length > 0) return undefined;
    const surplus = assessment.own.length - assessment.desired.size;
    if (surplus <= 0) return join(assessment, `to replace ${view.name}, because ${why}`);
  }
  const [objection] = objectionsToRemoval(assessment, view);
  if (objection) return waitFor(`Waiting to replace member ${view.name} (${why}): ${objection.evidence}.`, later);
  return moveLeadershipFrom(assessment, view, 'is about to be replaced') ?? removal;
}

/**
 * True if the new member is added before the old member is removed: while the old member still answers, or in clusters of at least five
 * members if their version accepts a new member although a voter is dead.
 */
function addsFirst(assessment: Assessment, view: MemberView): boolean {
  const { voters, healthyVoters, clusterId } = assessment;
  // No member joins while it is unknown whose data is right.
  if (corruptionOf(assessment)) return false;
  if (isPresent(view, clusterId)) return true;
  if (voters.length < 5 || healthyVoters.length < voters.length - 1) return false;
  return healthyVoters.every(({ answer }) => {
    const version = answer?.kind === 'status' ? parseVersion(answer.version) : undefined;
    return version !== undefined && acceptsJoinBesideDeadVoter(version);
  });
}

function acceptsJoinBesideDeadVoter(version: NonNullable<ReturnType<typeof parseVersion>>): boolean {
  if (version.minor === 5) return isAtLeast(version, versionOf('3.5.30'));
  return isAtLeast(version, versionOf('3.6.11'));
}
