// SPDX-License-Identifier: Apache-2.0
import { counted, isOrAre } from '../../../counted.ts';
import type { MemberPod, MemberVolume } from '../../observation.ts';
import { type Assessment, listedOrRemembered } from '../assessment.ts';
import { hasFailedImage, isIdle, outdatedFields, recreatePod, takeWantedImage } from '../healing/stuck-pod.ts';
import { startUnstarted } from '../joining/start-unstarted.ts';
import { hasJustStarted } from '../member-health.ts';
import { later, type Proposal, retryDelay } from '../proposal.ts';
import { podOnVolume } from '../rolling/pod-on-volume.ts';
import { mayRollBack, rollBackImage } from '../rolling/roll-back.ts';
import { membersNamed } from '../sentence.ts';
import type { PlannedStep } from '../step.ts';
import { isOnLostNode } from './lost-node.ts';
import { describeRecovery, recoverQuorum } from './recovery.ts';
import { describeUnreachable, isCutOff } from './unreachable.ts';
import { describeUpgradeRestart, isUpgradeRestart } from './upgrade-restart.ts';

/**
 * Without a quorum, the operator changes only pods. A member whose data exists gets a pod that can run; this pod has no bootstrap
 * configuration, so it can only continue with its data. A voter that has never started, and so has no data, gets a pod as well. Everything
 * else waits for members to return or for a person, unless spec.recovery allows an EtcdRestore to recover the cluster (safety rule 7).
 */
export function withoutQuorum(assessment: Assessment): Proposal | undefined {
  const { observation, now } = assessment;
  if (assessment.hasQuorum) return undefined;
  const steps = [...startFromVolumes(assessment), ...correctIdlePods(assessment), ...startUnstarted(assessment)];
  const reason = describe(assessment);
  if (steps.length > 0) return { steps, waits: [{ reason, retryAfter: later }] };
  const starting = observation.pods.some(
    (pod) => !pod.terminating && (now - pod.seenSince < 60_000 || hasJustStarted({ pod }, now)),
  );
  const retryAfter = starting ? 500 : retryDelay(sinceLastTurn(assessment));
  // The recovery begins only when no step is left that may bring members back.
  return { steps: recoverQuorum(assessment), waits: [{ reason, retryAfter }] };
}

/** Milliseconds since a member last started or stopped answering, or lost its leader. */
function sinceLastTurn({ observation, now }: Assessment): number {
  const turns = [...observation.etcd.answers.values()].map(
    (answer) => (answer.kind === 'status' && answer.leaderlessSince) || answer.since,
  );
  return now - Math.max(0, ...turns);
}

/** Creates missing pods for the volumes of this incarnation, and deletes pods that have ended or are stuck. */
export function startFromVolumes(assessment: Assessment): PlannedStep[] {
  const { volumes, pods, clusterId } = assessment;
  return [...volumes.values()]
    .filter((volume) => !volume.terminating && (volume.clusterId === '' || volume.clusterId === clusterId))
    .flatMap((volume) => startFromVolume(assessment, volume, pods.get(volume.name)));
}

function startFromVolume(
  assessment: Assessment,
  volume: MemberVolume,
  pod: MemberPod | undefined,
): readonly PlannedStep[] {
  const { name } = volume;
  const memberId = volume.memberId || startedMember(assessment, name);
  if (!memberId) return [];
  if (!pod) {
    return [
      {
        step: podOnVolume(assessment, volume, memberId),
        reason: `Creating pod/${name} on its existing volume.`,
      },
    ];
  }
  // A pod that does not use the volume of its name has its data elsewhere, and would lose this data when the pod is deleted.
  if (pod.data !== 'claim') return [];
  if (pod.terminating) {
    if (!isOnLostNode(assessment, pod)) return [];
    return [
      {
        step: { do: 'deletePod', name, uid: pod.uid, force: true },
        reason: `Force-deleting pod/${name}: node ${pod.node} is gone, and the pod is stuck terminating. Its volume is kept.`,
      },
    ];
  }
  if (pod.phase !== 'Failed' && pod.phase !== 'Succeeded') return [];
  return [
    {
      step: { do: 'deletePod', name, uid: pod.uid, force: false },
      reason: `Recreating pod/${name} on its volume: it stopped (${pod.phase}).`,
    },
  ];
}

/** The ID of the listed member of this name, if this member has started: then the volume of this name holds its data. */
function startedMember(assessment: Assessment, podName: string): string | undefined {
  return listedOrRemembered(assessment).find((member) => member.podName === podName && member.name !== '')?.id;
}

/** Applies a corrected spec to pods that do not run, also without a quorum: this stops no running member, and may restore the quorum. */
function correctIdlePods(assessment: Assessment): readonly PlannedStep[] {
  const { pods, volumes, observation, now } = assessment;
  return [...pods.values()].flatMap((pod) => {
    const isAnswering = observation.etcd.answers.get(pod.name)?.kind === 'status';
    if (pod.terminating || isAnswering || !isIdle(pod) || pod.phase === 'Failed' || pod.phase === 'Succeeded')
      return [];
    const fields = outdatedFields(pod, pod.image, pod.data);
    const volume = volumes.get(pod.name);
    const comesBack = pod.data === 'claim' && volume?.memberId && !volume.terminating;
    if (fields.length > 0 && comesBack) return recreatePod(pod, fields).steps;
    // The new image does not work, but the version before the change has served from this data.
    if (mayRollBack(assessment, pod) && hasFailedImage(pod, now, now)) return rollBackImage(pod).steps;
    return takeWantedImage(assessment, pod)?.steps ?? [];
  });
}

/**
 * True if this cluster has no volume, and no pod except pods of joining members that have never answered. Then only a restore can bring the
 * data back. A joining member that has answered may have received the data, even if the operator cannot reach it now.
 */
export function isEverythingLost({ pods, volumes, membershipKnown, observation }: Assessment): boolean {
  const hasNeverServed = (pod: MemberPod) => {
    const answer = observation.etcd.answers.get(pod.name);
    return pod.boot === 'existing' && !pod.ready && answer?.kind === 'unreachable' && answer.neverAnswered === true;
  };
  return !membershipKnown && volumes.size === 0 && [...pods.values()].every(hasNeverServed);
}

function describe(assessment: Assessment): string {
  const { membershipKnown, voters, presentVoters, quorum, observation } = assessment;
  if (isUpgradeRestart(assessment)) return describeUpgradeRestart(assessment);
  if (isCutOff(assessment)) return describeUnreachable(assessment);
  if (isEverythingLost(assessment)) {
    return 'All members and their data are gone. No empty cluster is created in their place; restore a backup with an EtcdRestore.';
  }
  if (membershipKnown) {
    const missing = voters.filter((view) => !presentVoters.includes(view)).map(({ name }) => name);
    const reached = presentVoters.length;
    return `Quorum lost: ${reached} of ${counted(voters.length, 'voter')} ${isOrAre(reached, voters.length)} reachable, ${quorum} ${isOrAre(quorum)} needed. ${waitingFor(assessment, missing)}`;
  }
  const why = observation.etcd.membership.kind === 'unknown' ? observation.etcd.membership.why : '';
  return `Quorum lost: the members cannot be listed${why ? ` (${why})` : ''}. ${waitingFor(assessment, [])}`;
}

function waitingFor(assessment: Assessment, missing: readonly string[]): string {
  const planned = describeRecovery(assessment);
  if (planned !== undefined) return planned;
  const who = missing.length > 0 ? membersNamed(missing) : 'members';
  const left = membersWithData(assessment);
  const recovery =
    left.length > 0
      ? ` To recover from ${membersNamed(left)} instead, run kubectl etcd recover ${assessment.observation.cluster.name}, which shows what would be lost.`
      : '';
  return `Waiting for ${who} to return. If the data is gone, see runbook quorum-lost.${recovery}`;
}

/** Members that answer, and members whose volume exists. */
function membersWithData({ presentVoters, volumes, clusterId }: Assessment): readonly string[] {
  const stored = [...volumes.values()].filter((volume) => !volume.terminating && volume.clusterId === clusterId);
  const named = [...presentVoters.map(({ name }) => name), ...stored.map(({ name }) => name)];
  return [...new Set(named)].sort();
}
