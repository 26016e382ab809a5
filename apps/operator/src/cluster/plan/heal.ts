// SPDX-License-Identifier: Apache-2.0
import { isAtLeast, parseVersion, quorum, versionOf } from '@etcd-operator/etcd';
import { type Assessment, isPresent, type MemberView } from './assessment.ts';
import { goBack, mayGoBack } from './go-back.ts';
import { join } from './grow.ts';
import { moveLeadershipFrom } from './leadership.ts';
import { isLeftover } from './leftovers.ts';
import { restoreAddress } from './member-address.ts';
import { hasJustStarted, isBooting } from './member-health.ts';
import { later, type Proposal, patience, soon, take, waitFor } from './proposal.ts';
import { releaseForJoiner } from './release.ts';
import { removeOverdueStranger } from './strangers.ts';
import { correctIdleMember, hasFailedImage } from './stuck-pod.ts';
import { restartUnheard } from './unheard-joiner.ts';
import { remakeJoiner } from './unstarted.ts';
import { revive } from './without-quorum.ts';

/** Repairs members, one at a time, with quorum in hand. Undefined if all listed members are well or on their way up. */
export function heal(assessment: Assessment): Proposal | undefined {
  return (
    reviveFromVolumes(assessment) ??
    undoFailedImage(assessment) ??
    correctIdle(assessment) ??
    restoreAddress(assessment) ??
    remakeJoiner(assessment) ??
    restartUnheard(assessment) ??
    finishJoin(assessment) ??
    removeOverdueStranger(assessment) ??
    replaceFirst(assessment, assessment.own.filter(isBeyondRepair)) ??
    replaceFirst(
      assessment,
      assessment.own.filter((view) => isSilentTooLong(assessment, view)),
    ) ??
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
    const silentSince = health.kind === 'silent' ? health.since : now;
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

/** True for a member whose data is gone or about to go: only a fresh one can take its place. */
function isBeyondRepair({ health }: MemberView): boolean {
  return health.kind === 'lost' || health.kind === 'leaving';
}

/** True for a member that has to make way for a fresh one, for whatever reason. */
export function mustBeReplaced(assessment: Assessment, view: MemberView): boolean {
  return view.health.kind !== 'stranger' && (isBeyondRepair(view) || isSilentTooLong(assessment, view));
}

/**
 * True for a member that has been waited for long enough. One that is killed for lack of memory is not replaced: a fresh one
 * would be killed too.
 */
function isSilentTooLong({ now, desired }: Assessment, view: MemberView): boolean {
  const { health, pod } = view;
  if (health.kind === 'podEnding') return health.since !== undefined && now - health.since >= desired.replaceAfter;
  if (health.kind !== 'silent' || isOutOfMemory(pod) || isBooting(view, now)) return false;
  const isCrashing = pod !== undefined && pod.container.restarts >= 3 && pod.container.state !== 'running';
  return now - health.since >= (isCrashing ? Math.min(crashLimit, desired.replaceAfter) : desired.replaceAfter);
}

const crashLimit = 60_000;

function isOutOfMemory(pod: MemberView['pod']): boolean {
  return pod?.container.lastExit?.reason === 'OOMKilled';
}

/** Replaces one member: adds first where etcd accepts it, removes first otherwise (rules 7 and 14). */
function replaceFirst(assessment: Assessment, broken: readonly MemberView[]): Proposal | undefined {
  const [view] = [...broken].sort((a, b) => Number(b.member.isLearner) - Number(a.member.isLearner));
  if (!view) return undefined;
  const why = reasonOf(view);
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
  const others = assessment.healthyVoters.filter((other) => other !== view).length;
  if (others < quorum(assessment.voters.length - 1)) {
    return waitFor(`${view.name} must be replaced (${why}), but the other voters would not be a quorum`, later);
  }
  return moveLeadershipFrom(assessment, view, 'is about to be replaced') ?? removal;
}

/** While it still answers, or in clusters of five and more on versions that accept it with a dead voter around. */
function addsFirst({ voters, healthyVoters, clusterId }: Assessment, view: MemberView): boolean {
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

function reasonOf({ health }: MemberView): string {
  if (health.kind === 'lost') return health.evidence;
  if (health.kind === 'silent') return health.why;
  if (health.kind === 'podEnding') return 'its pod does not come to an end, and its volume stays with it';
  return 'its pod is being deleted and its data goes with it';
}

/** A voter that does not answer holds back everything voluntary. */
function waitForVoters(assessment: Assessment): Proposal | undefined {
  const { voters, desired, now } = assessment;
  // One that must be replaced is being replaced by the learner that joins; that goes on.
  const first = voters.find(
    (view) => view.health.kind !== 'healthy' && view.health.kind !== 'stranger' && !mustBeReplaced(assessment, view),
  );
  if (!first) return undefined;
  const { health, name } = first;
  if (health.kind !== 'silent') {
    return waitFor(`${name} is on its way up${health.kind === 'starting' ? `: ${health.why}` : ''}`, soon);
  }
  if (isOutOfMemory(first.pod)) {
    return waitFor(
      `${name} is killed for lack of memory again and again; raise spec.pod.resources.limits.memory`,
      later,
    );
  }
  if (isBooting(first, now)) {
    return waitFor(
      `${name} does not answer yet: its process opens its data`,
      hasJustStarted(first, now) ? soon : later,
    );
  }
  // No countdown: status is written only when it says something new.
  const left = Math.max(0, desired.replaceAfter - (now - health.since));
  return waitFor(
    `${name} does not answer (${health.why}); it is replaced after ${desired.replaceAfter / 1000} s of silence`,
    Math.min(hasJustStarted(first, now) ? soon : patience(now - health.since), left + 100),
  );
}
