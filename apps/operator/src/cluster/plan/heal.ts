// SPDX-License-Identifier: Apache-2.0
import { isAtLeast, parseVersion, versionOf } from '@etcd-operator/etcd';
import { type Assessment, isPresent, type MemberView } from './assessment.ts';
import { corruptionOf } from './corruption.ts';
import { objectionsToRemoval, type Suspicion, suspicionOf } from './dead-member.ts';
import { goBack, mayGoBack } from './go-back.ts';
import { join } from './grow.ts';
import { moveLeadershipFrom } from './leadership.ts';
import { isLeftover } from './leftovers.ts';
import { restoreAddress } from './member-address.ts';
import { later, type Proposal, soon, take, waitFor } from './proposal.ts';
import { releaseForJoiner } from './release.ts';
import { repairCorruption } from './repair-corruption.ts';
import { removeOverdueStranger } from './strangers.ts';
import { correctIdleMember, hasFailedImage } from './stuck-pod.ts';
import { restartUnheard } from './unheard-joiner.ts';
import { remakeJoiner } from './unstarted.ts';
import { waitForVoters } from './wait-for-voters.ts';
import { revive } from './without-quorum.ts';

/** Repairs members, one at a time, with quorum in hand. Undefined if all listed members are well or on their way up. */
export function heal(assessment: Assessment): Proposal | undefined {
  return (
    reviveFromVolumes(assessment) ??
    undoFailedImage(assessment) ??
    correctIdle(assessment) ??
    restoreAddress(assessment) ??
    repairCorruption(assessment) ??
    remakeJoiner(assessment) ??
    restartUnheard(assessment) ??
    finishJoin(assessment) ??
    removeOverdueStranger(assessment) ??
    replaceFirst(assessment, (suspicion) => suspicion.isBeyondRepair) ??
    replaceFirst(assessment, () => true) ??
    waitForVoters(assessment)
  );
}

function reviveFromVolumes(assessment: Assessment): Proposal | undefined {
  const returning = assessment.own.filter(({ health }) => health.kind === 'podGone' || health.kind === 'podEnding');
  const names = new Set(returning.map((view) => view.name));
  const steps = revive(assessment).filter(({ step }) => 'name' in step && names.has(step.name));
  return steps.length > 0 ? { steps, waits: [] } : undefined;
}

/** The first member whose new image does not work goes back to the old one; nobody else is touched (rules 3 and 6). */
function undoFailedImage(assessment: Assessment): Proposal | undefined {
  const { own, now } = assessment;
  const failed = own.find(({ pod, health }) => {
    if (!pod || health.kind === 'healthy') return false;
    const silentSince = health.kind === 'silent' || health.kind === 'leaderless' ? health.since : now;
    return mayGoBack(assessment, pod) && hasFailedImage(pod, now, silentSince);
  });
  return failed?.pod && goBack(failed.pod);
}

function correctIdle(assessment: Assessment): Proposal | undefined {
  for (const view of assessment.own) {
    const correction = correctIdleMember(assessment, view);
    if (correction) return correction;
  }
  return undefined;
}

/** A member that was added and never started gets its pod; one at a time, because each waits for the others' names (rule 9). */
function finishJoin(assessment: Assessment): Proposal | undefined {
  const { own, incarnation, observation, pods, volumes } = assessment;
  const unstarted = own.filter(({ health }) => health.kind === 'unstarted');
  const [first] = unstarted;
  if (!first) return undefined;
  const surplus = unstarted.length > 1 ? unstarted.find(({ member }) => member.isLearner) : undefined;
  if (surplus) {
    return take(
      { do: 'removeMember', memberId: surplus.member.id, name: surplus.name, because: 'dead' },
      `${surplus.name} was added and never started, like ${unstarted.length - 1} more: they would wait for each other`,
    );
  }
  if (observation.secretProblems.length > 0) return waitFor(observation.secretProblems.join('; '), later);
  const volume = volumes.get(first.name);
  if (volume && volume.memberId !== '' && isLeftover(assessment, volume) && first.member.isLearner) {
    return take(
      { do: 'removeMember', memberId: first.member.id, name: first.name, because: 'dead' },
      `${first.name} cannot start: the volume of that name holds the data of member ${volume.memberId}, which is kept`,
    );
  }
  if (pods.has(first.name) || (volume && (volume.terminating || isLeftover(assessment, volume)))) {
    return waitFor(`${first.name} gets its pod once what an earlier member of that name left is gone`, soon);
  }
  return take(
    {
      do: 'createPod',
      name: first.name,
      incarnation,
      memberId: first.member.id,
      boot: 'existing',
      onVolume: false,
      asRoot: false,
      wayBack: undefined,
      ...releaseForJoiner(assessment),
    },
    `${first.name} was added to the cluster and has no pod yet`,
  );
}

/** Replaces one member: adds first where etcd accepts it, removes first otherwise (rules 7 and 14). */
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
    `${view.name} is replaced: ${why}`,
  );
  if (view.member.isLearner) return removal;
  if (addsFirst(assessment, view)) {
    if (assessment.learners.length > 0) return undefined;
    const surplus = assessment.own.length - assessment.desired.size;
    if (surplus <= 0) return join(assessment, `takes the place of ${view.name}: ${why}`);
  }
  const [objection] = objectionsToRemoval(assessment, view);
  if (objection) return waitFor(`${view.name} must be replaced (${why}), but ${objection.evidence}`, later);
  return moveLeadershipFrom(assessment, view, 'is about to be replaced') ?? removal;
}

/** While it still answers, or in clusters of five and more on versions that accept it with a dead voter around. */
function addsFirst(assessment: Assessment, view: MemberView): boolean {
  const { voters, healthyVoters, clusterId } = assessment;
  // Nobody joins while it is open whose data is right.
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
