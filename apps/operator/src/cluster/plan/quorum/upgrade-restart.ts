// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../observation.ts';
import type { Assessment } from '../assessment.ts';
import { isStuck } from '../healing/stuck-pod.ts';
import { hasJustStarted } from '../member-health.ts';
import { isSameVersion } from '../rolling/member-release.ts';
import { membersNamed } from '../sentence.ts';

/** How long a restart with another version counts as part of the upgrade, in milliseconds; after that it counts as a failure. */
const restartLimit = 60_000;

/**
 * The pods that the operator itself has just restarted with another version, if the quorum is missing only because of this restart: the
 * only member of a cluster, or one of two members. Empty otherwise. A planned step is not reported as a failure (safety rule 18).
 */
function restartedByUpgrade(assessment: Assessment): readonly MemberPod[] {
  const { observation, desired, pods } = assessment;
  const { currentVersion } = observation.cluster;
  const isUpgrade = currentVersion !== '' && !isSameVersion(currentVersion, desired.version);
  if (assessment.hasQuorum || !isUpgrade || pods.size < desired.size) return [];
  const restarted = [...pods.values()].filter((pod) => isRestarting(assessment, pod));
  const isDown = ({ name }: MemberPod) => observation.etcd.answers.get(name)?.kind !== 'status';
  return [...pods.values()].every((pod) => !isDown(pod) || restarted.includes(pod)) ? restarted : [];
}

/** True if only a restart that the upgrade needs keeps the cluster from serving. */
export function isUpgradeRestart(assessment: Assessment): boolean {
  return restartedByUpgrade(assessment).length > 0;
}

export function describeUpgradeRestart(assessment: Assessment): string {
  const who = membersNamed(restartedByUpgrade(assessment).map(({ name }) => name));
  return `Waiting for ${who} to restart with ${assessment.desired.version}. There is no quorum until then.`;
}

function isRestarting({ observation, desired, now }: Assessment, pod: MemberPod): boolean {
  const answer = observation.etcd.answers.get(pod.name);
  if (pod.terminating || isStuck(pod) || !isSameVersion(pod.version, desired.version)) return false;
  if (pod.previousVersion === '' && !hasJustStarted({ pod }, now)) return false;
  if (answer?.kind !== 'status') return now - (answer?.since ?? now) < restartLimit;
  // The old process still answered the status request, and was stopped before it could return the member list.
  if (pod.previousVersion !== '' && pod.container.id === pod.previousContainer) return true;
  // The new process runs and elects a leader.
  return answer.leaderId === '' && now - answer.leaderlessSince < restartLimit;
}
