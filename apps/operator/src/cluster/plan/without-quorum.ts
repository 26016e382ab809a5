// SPDX-License-Identifier: Apache-2.0
import type { Assessment } from './assessment.ts';
import { later, type Proposal, waitFor } from './proposal.ts';
import type { PlannedStep } from './step.ts';

/**
 * Below quorum nothing is changed but one thing: a member whose volume is there gets its pod back, disarmed, so that it can
 * only continue where it was. Everything else waits for members to return, or for a person (DESIGN rule 7).
 */
export function withoutQuorum(assessment: Assessment): Proposal | undefined {
  const { membershipKnown, healthyVoters, quorum, observation } = assessment;
  if (membershipKnown && healthyVoters.length >= quorum) return undefined;
  const revived = revive(assessment);
  const reason = describe(assessment);
  if (revived.length > 0) return { steps: revived, waits: [{ reason, lookAgainAfter: later }] };
  const starting = observation.pods.some((pod) => !pod.terminating && assessment.now - pod.createdAt < 60_000);
  return waitFor(reason, starting ? 500 : later);
}

/** Pods for the volumes of this life that have none, and the removal of ended pods that stand in their way. */
export function revive({ volumes, pods, incarnation, clusterId }: Assessment): PlannedStep[] {
  const steps: PlannedStep[] = [];
  for (const volume of volumes.values()) {
    if (volume.terminating || volume.memberId === '' || volume.clusterId !== clusterId) continue;
    const pod = pods.get(volume.name);
    if (!pod) {
      steps.push({
        step: { do: 'createPod', name: volume.name, incarnation, memberId: volume.memberId, boot: 'disarmed' },
        reason: `${volume.name} has its volume but no pod: it comes back as the member it was`,
      });
    } else if (!pod.terminating && (pod.phase === 'Failed' || pod.phase === 'Succeeded')) {
      steps.push({
        step: { do: 'deletePod', name: pod.name, uid: pod.uid, force: false },
        reason: `the pod of ${pod.name} has ended (${pod.phase}); its volume is kept and gets a new pod`,
      });
    }
  }
  return steps;
}

/** True if no pod and no volume of this cluster is left: only a restore can bring the data back. */
export function isEverythingLost({ pods, volumes, membershipKnown }: Assessment): boolean {
  return !membershipKnown && pods.size === 0 && volumes.size === 0;
}

function describe(assessment: Assessment): string {
  const { membershipKnown, voters, healthyVoters, quorum, observation } = assessment;
  if (isEverythingLost(assessment)) {
    return 'all members and their data are gone; nothing is founded in their place: restore a backup with an EtcdRestore';
  }
  if (membershipKnown) {
    return `quorum is lost: ${healthyVoters.length} of ${voters.length} voters answer and ${quorum} are needed; ${wayOut}`;
  }
  const why = observation.etcd.membership.kind === 'unknown' ? observation.etcd.membership.why : '';
  return `no member answers for the cluster${why ? ` (${why})` : ''}; ${wayOut}`;
}

const wayOut =
  'nothing is changed until members return by themselves; if they cannot, restore a backup with an EtcdRestore';
