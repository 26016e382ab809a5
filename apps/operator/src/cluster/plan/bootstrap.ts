// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../desired.ts';
import type { MemberPod, Observation } from '../observation.ts';
import { seedName } from './member-naming.ts';
import { later, type Proposal, soon, take, waitFor } from './proposal.ts';

/**
 * The birth of a cluster, or the adoption of one that runs already: everything that happens before an identity is latched.
 * Exactly one seed may found a cluster, and only after a live read has shown that nothing of this cluster exists
 * (operator rules 1, 5, 13, 30).
 */
export function bootstrap(observation: Observation, desired: Desired, incarnation: number): Proposal {
  const { cluster, pods, volumes } = observation;
  const name = seedName(cluster.name, cluster.uid, incarnation);
  const own = pods.filter((pod) => pod.ownership === 'ours' && pod.incarnation === incarnation);
  const others = own.filter((pod) => pod.name !== name);
  if (others.length > 0) return adopt(observation, others);
  const strayVolume = volumes.find((volume) => volume.ownership === 'ours' && volume.name !== name);
  if (strayVolume) {
    return waitFor(
      `volume ${strayVolume.name} belongs to this cluster, but no identity is recorded for it: nothing is founded beside it; ` +
        'restore from a backup, or delete the volume if its data is not wanted',
      later,
    );
  }
  const seed = own.find((pod) => pod.name === name);
  if (seed) return nurse(observation, desired, seed);
  const old = pods.find((pod) => pod.ownership === 'other');
  if (old)
    return waitFor(
      `pod ${old.name} of an earlier cluster of this name is still there and would be mistaken for a member`,
      later,
    );
  if (observation.secretProblems.length > 0) return waitFor(observation.secretProblems.join('; '), later);
  return take(
    { do: 'createSeed', name, incarnation },
    `founds the cluster with its first member ${name}; ${desired.size === 1 ? 'it is the only one' : `${desired.size - 1} more will join it`}`,
  );
}

/** Brings the seed to the point where it can no longer found anything, and with that latches the cluster's identity. */
function nurse(observation: Observation, desired: Desired, seed: MemberPod): Proposal {
  const answer = observation.etcd.answers.get(seed.name);
  if (answer?.kind === 'status') {
    return take(
      {
        do: 'disarm',
        pod: seed.name,
        uid: seed.uid,
        resourceVersion: seed.resourceVersion,
        clusterId: answer.clusterId,
        memberId: answer.memberId,
        markVoter: true,
      },
      `the cluster is founded (ID ${answer.clusterId}): from now on ${seed.name} must not start on an empty directory`,
    );
  }
  if (seed.terminating) return waitFor(`the first member ${seed.name} is being deleted`, later);
  return correctPodThatNeverRan(seed, desired) ?? waitFor(seedWait(seed), seed.container.startedAt > 0 ? soon : later);
}

/**
 * A pod whose process never ran holds no data: a corrected spec replaces it at once. One that ran keeps its data; only its
 * image is patched.
 */
export function correctPodThatNeverRan(pod: MemberPod, desired: Desired): Proposal | undefined {
  const drift = pod.drift.filter((item) => item.remedy !== 'inPlace');
  if (drift.length === 0 && pod.image === desired.image) return undefined;
  const fields = [...(pod.image === desired.image ? [] : ['image']), ...drift.map((item) => item.field)];
  const neverRan = pod.container.startedAt === 0 && pod.container.restarts === 0;
  if (!neverRan) return undefined;
  return take(
    { do: 'deletePod', name: pod.name, uid: pod.uid, force: false },
    `${pod.name} has not started, and the spec has changed since (${fields.join(', ')})`,
  );
}

function seedWait(seed: MemberPod): string {
  const { state, reason, message } = seed.container;
  if (seed.node === '') return `the first member ${seed.name} waits to be scheduled${message ? `: ${message}` : ''}`;
  if (state === 'waiting' && reason)
    return `the first member ${seed.name} cannot start: ${reason}${message ? ` (${message.slice(0, 200)})` : ''}`;
  return `the first member ${seed.name} is starting`;
}

/** Pods of this object that nobody recorded an identity for: the original operator's, or a status that was lost. */
function adopt(observation: Observation, pods: readonly MemberPod[]): Proposal {
  const { membership } = observation.etcd;
  if (membership.kind === 'unknown') {
    return waitFor(
      `${pods.length} pods of this cluster run without a recorded identity and do not tell their membership (${membership.why}): nothing is founded beside them`,
      later,
    );
  }
  return take(
    { do: 'latchIdentity', clusterId: membership.clusterId, incarnation: pods[0]?.incarnation ?? 1, bornVersion: '' },
    `takes over a running cluster of ${membership.members.length} members (ID ${membership.clusterId}) without restarting any`,
  );
}
