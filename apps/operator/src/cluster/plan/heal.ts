// SPDX-License-Identifier: Apache-2.0
import { isAtLeast, parseVersion, versionOf } from '@etcd-operator/etcd';
import type { Assessment, MemberView } from './assessment.ts';
import { correctPodThatNeverRan } from './bootstrap.ts';
import { join } from './grow.ts';
import { isMemberName } from './member-naming.ts';
import { later, type Proposal, soon, take, waitFor } from './proposal.ts';
import { revive } from './without-quorum.ts';

/** Repairs members, one at a time, with quorum in hand. Undefined if all listed members are well or on their way up. */
export function heal(assessment: Assessment): Proposal | undefined {
  return (
    reviveFromVolumes(assessment) ??
    undoFailedImage(assessment) ??
    finishJoin(assessment) ??
    replaceFirst(assessment, lostMembers(assessment)) ??
    replaceFirst(assessment, silentTooLong(assessment)) ??
    waitForMembers(assessment)
  );
}

function reviveFromVolumes(assessment: Assessment): Proposal | undefined {
  const listed = new Set(assessment.members.filter((view) => comesBack(view)).map((view) => view.name));
  const steps = revive(assessment).filter(({ step }) => 'name' in step && listed.has(step.name));
  return steps.length > 0 ? { steps, waits: [] } : undefined;
}

function comesBack({ health }: MemberView): boolean {
  return health.kind === 'podGone' || health.kind === 'podEnding';
}

/** The first member whose new image does not work goes back to the old one; nobody else is touched (rules 3 and 6). */
function undoFailedImage({ members, now, desired }: Assessment): Proposal | undefined {
  const failed = members.find(
    ({ pod, health }) => pod && pod.previousVersion !== '' && health.kind !== 'healthy' && hasFailed(pod, now),
  );
  const pod = failed?.pod;
  if (!pod) return undefined;
  return take(
    {
      do: 'setImage',
      pod: pod.name,
      uid: pod.uid,
      resourceVersion: pod.resourceVersion,
      from: pod.version,
      previous: pod.previousVersion,
      version: pod.previousVersion,
      image: `${desired.repository}:v${pod.previousVersion}`,
      snapshotCount: pod.snapshotCount,
    },
    `${pod.name} does not run with ${pod.version} (${pod.container.reason || 'it does not answer'}): it goes back to ${pod.previousVersion}`,
  );
}

const fatalWaits = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'CrashLoopBackOff',
  'CreateContainerError',
  'RunContainerError',
];

function hasFailed(pod: NonNullable<MemberView['pod']>, now: number): boolean {
  const { state, reason, startedAt } = pod.container;
  if (state === 'waiting') return fatalWaits.includes(reason);
  return startedAt > 0 && now - startedAt > 60_000;
}

/** A member that was added and never started: ours gets its pod; a stranger is reported, and a stranger's learner goes. */
function finishJoin({ members, observation, incarnation, now }: Assessment): Proposal | undefined {
  const view = members.find(({ health }) => health.kind === 'unstarted');
  if (!view) return undefined;
  if (isMemberName(observation.cluster.name, view.name)) {
    return take(
      { do: 'createPod', name: view.name, incarnation, memberId: view.member.id, boot: 'existing' },
      `${view.name} was added to the cluster and has no pod yet`,
    );
  }
  const waited = now - view.member.seenSince;
  if (view.member.isLearner && waited > strangerLimit) {
    return take(
      { do: 'removeMember', memberId: view.member.id, name: view.name, because: 'dead' },
      `learner ${view.member.id} (${view.member.peerURLs.join(', ')}) was added by somebody else and has not started for ${Math.round(waited / 1000)} s`,
    );
  }
  return waitFor(
    `member ${view.member.id} (${view.member.peerURLs.join(', ')}) was added by somebody else and has not started; ` +
      'start it, or remove it with etcdctl member remove',
    later,
  );
}

const strangerLimit = 300_000;

/** True for a member whose data is gone or about to go: only a fresh one can take its place. */
export function isBeyondRepair({ health }: MemberView): boolean {
  return health.kind === 'lost' || health.kind === 'leaving';
}

function lostMembers({ members }: Assessment): readonly MemberView[] {
  return members.filter(isBeyondRepair);
}

function silentTooLong({ members, now, desired }: Assessment): readonly MemberView[] {
  return members.filter(({ health, pod }) => {
    if (health.kind !== 'silent') return false;
    const crashing = pod !== undefined && pod.container.restarts >= 3 && pod.container.lastExit?.reason !== 'OOMKilled';
    return now - health.since >= (crashing ? Math.min(crashLimit, desired.replaceAfter) : desired.replaceAfter);
  });
}

const crashLimit = 60_000;

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
  const others = assessment.healthyVoters.filter((other) => other !== view).length;
  if (others < Math.floor((assessment.voters.length - 1) / 2) + 1) {
    return waitFor(`${view.name} must be replaced (${why}), but the other voters would not be a quorum`, later);
  }
  if (addsFirst(assessment, view)) {
    const surplus = assessment.members.length - assessment.desired.size;
    if (surplus <= 0) return join(assessment, `takes the place of ${view.name}: ${why}`) ?? removal;
    if (assessment.learners.length > 0) return undefined;
  }
  return removal;
}

/** While it still answers, or in clusters of five and more on versions that accept it with a dead voter around. */
function addsFirst({ voters, healthyVoters }: Assessment, view: MemberView): boolean {
  if (view.health.kind === 'leaving' && view.answer?.kind === 'status') return true;
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
  return 'its pod is being deleted and its data goes with it';
}

/** A voter that does not answer holds back everything voluntary; a pod that cannot start is corrected if the spec was. */
function waitForMembers(assessment: Assessment): Proposal | undefined {
  const { voters, desired, now } = assessment;
  for (const { pod } of assessment.members) {
    const correction = pod && correctPodThatNeverRan(pod, desired);
    if (correction && pod.data === 'claim') return correction;
  }
  // One that is beyond repair is being replaced by the learner that joins; that goes on.
  const first = voters.find((view) => view.health.kind !== 'healthy' && !isBeyondRepair(view));
  if (!first) return undefined;
  const { health } = first;
  if (health.kind === 'silent') {
    const left = Math.max(0, desired.replaceAfter - (now - health.since));
    return waitFor(
      `${first.name} does not answer (${health.why}); it is replaced in ${Math.ceil(left / 1000)} s`,
      Math.min(later, left + 100),
    );
  }
  return waitFor(`${first.name} is on its way up${health.kind === 'starting' ? `: ${health.why}` : ''}`, soon);
}
