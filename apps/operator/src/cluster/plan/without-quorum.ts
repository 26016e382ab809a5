// SPDX-License-Identifier: Apache-2.0
import type { MemberPod, MemberVolume } from '../observation.ts';
import type { Assessment } from './assessment.ts';
import { goBack, mayGoBack } from './go-back.ts';
import { hasJustStarted } from './member-health.ts';
import { later, type Proposal, patience, waitFor } from './proposal.ts';
import { releaseForVolume } from './release.ts';
import type { PlannedStep } from './step.ts';
import { hasFailedImage, isIdle, makeAnew, outdatedFields, takeWantedImage } from './stuck-pod.ts';
import { describeUnreachable, isCutOff } from './unreachable.ts';
import { listedOrRemembered, startUnstarted } from './unstarted.ts';

/**
 * Below quorum nothing is changed but one thing: a member whose data is there gets a pod that can run, disarmed, so that it
 * can only continue where it was. Everything else waits for members to return, or for a person (DESIGN rule 7).
 */
export function withoutQuorum(assessment: Assessment): Proposal | undefined {
  const { observation, now } = assessment;
  if (assessment.hasQuorum) return undefined;
  const steps = [...revive(assessment), ...correctIdlePods(assessment), ...startUnstarted(assessment)];
  const reason = describe(assessment);
  if (steps.length > 0) return { steps, waits: [{ reason, lookAgainAfter: later }] };
  const starting = observation.pods.some(
    (pod) => !pod.terminating && (now - pod.seenSince < 60_000 || hasJustStarted({ pod }, now)),
  );
  return waitFor(reason, starting ? 500 : patience(sinceLastTurn(assessment)));
}

/** Milliseconds since the last member began or ceased to answer, or lost its leader. */
function sinceLastTurn({ observation, now }: Assessment): number {
  const turns = [...observation.etcd.answers.values()].map(
    (answer) => (answer.kind === 'status' && answer.leaderlessSince) || answer.since,
  );
  return now - Math.max(0, ...turns);
}

/** Pods for the volumes of this life that have none, and the removal of pods that have ended or cannot end by themselves. */
export function revive(assessment: Assessment): PlannedStep[] {
  const { volumes, pods, clusterId } = assessment;
  return [...volumes.values()]
    .filter((volume) => !volume.terminating && (volume.clusterId === '' || volume.clusterId === clusterId))
    .flatMap((volume) => reviveOne(assessment, volume, pods.get(volume.name)));
}

function reviveOne(assessment: Assessment, volume: MemberVolume, pod: MemberPod | undefined): readonly PlannedStep[] {
  const { name } = volume;
  const memberId = volume.memberId || startedMember(assessment, name);
  if (!memberId) return [];
  if (!pod) {
    const { incarnation } = assessment;
    const made = { onVolume: true, asRoot: volume.adopted, ...releaseForVolume(assessment, volume) };
    return [
      {
        step: { do: 'createPod', name, incarnation, memberId, boot: 'disarmed', ...made },
        reason: `${name} has its volume but no pod: it comes back as the member it was`,
      },
    ];
  }
  // A pod that does not use the volume of its name has its data elsewhere, and loses it when it is deleted.
  if (pod.data !== 'claim') return [];
  if (pod.terminating) {
    if (!isOnLostNode(assessment, pod)) return [];
    return [
      {
        step: { do: 'deletePod', name, uid: pod.uid, force: true },
        reason: `node ${pod.node} is gone, and the pod of ${name} cannot end there: it is struck off, its volume is kept`,
      },
    ];
  }
  if (pod.phase !== 'Failed' && pod.phase !== 'Succeeded') return [];
  return [
    {
      step: { do: 'deletePod', name, uid: pod.uid, force: false },
      reason: `the pod of ${name} has ended (${pod.phase}); its volume is kept and gets a new pod`,
    },
  ];
}

/** The ID of a member of this name that has run before: what is on its volume is its own. */
function startedMember(assessment: Assessment, podName: string): string | undefined {
  return listedOrRemembered(assessment).find((member) => member.podName === podName && member.name !== '')?.id;
}

/** Gone for good, or declared so: a process there cannot come back to life beside its successor (operator rule 25). */
export function isOnLostNode({ observation }: Pick<Assessment, 'observation'>, { node }: MemberPod): boolean {
  const facts = observation.nodes.get(node);
  return facts !== undefined && (!facts.exists || facts.outOfService);
}

/** A corrected spec reaches pods that do not run also now: it stops nobody, and may be what brings quorum back. */
function correctIdlePods(assessment: Assessment): readonly PlannedStep[] {
  const { pods, volumes, observation, now } = assessment;
  return [...pods.values()].flatMap((pod) => {
    const isAnswering = observation.etcd.answers.get(pod.name)?.kind === 'status';
    if (pod.terminating || isAnswering || !isIdle(pod) || pod.phase === 'Failed' || pod.phase === 'Succeeded')
      return [];
    const fields = outdatedFields(pod, pod.image, pod.data);
    const volume = volumes.get(pod.name);
    const comesBack = pod.data === 'claim' && volume?.memberId && !volume.terminating;
    if (fields.length > 0 && comesBack) return makeAnew(pod, fields).steps;
    // What was patched last does not work: a version that served from this data a moment ago does.
    if (mayGoBack(assessment, pod) && hasFailedImage(pod, now, now)) return goBack(pod).steps;
    return takeWantedImage(assessment, pod)?.steps ?? [];
  });
}

/** True if no pod and no volume of this cluster is left: only a restore can bring the data back. */
export function isEverythingLost({ pods, volumes, membershipKnown }: Assessment): boolean {
  return !membershipKnown && pods.size === 0 && volumes.size === 0;
}

function describe(assessment: Assessment): string {
  const { membershipKnown, voters, presentVoters, quorum, observation } = assessment;
  if (isCutOff(assessment)) return describeUnreachable(assessment);
  if (isEverythingLost(assessment)) {
    return 'all members and their data are gone; nothing is founded in their place: restore a backup with an EtcdRestore';
  }
  if (membershipKnown) {
    return `quorum is lost: ${presentVoters.length} of ${voters.length} voters answer and ${quorum} are needed; ${wayOut}`;
  }
  const why = observation.etcd.membership.kind === 'unknown' ? observation.etcd.membership.why : '';
  return `no member answers for the cluster${why ? ` (${why})` : ''}; ${wayOut}`;
}

const wayOut =
  'nothing is changed until members return by themselves; if they cannot, restore a backup with an EtcdRestore';
