// SPDX-License-Identifier: Apache-2.0
import { isSameMinor, parseVersion } from '@operator-parts/etcd';
import { counted, isOrAre } from '../../../counted.ts';
import { seedName } from '../../../identity/member-naming.ts';
import { objectionsTo } from '../../../safety/gate.ts';
import type { Desired } from '../../desired.ts';
import type { MemberPod, MemberVolume, Observation } from '../../observation.ts';
import { hasNeverRun, isIdle, isStuck, outdatedFields, recreatePod } from '../healing/stuck-pod.ts';
import type { Identity } from '../identity/identify.ts';
import { later, type Proposal, soon, take, waitFor } from '../proposal.ts';
import { releaseOfVersion, wantedRelease } from '../rolling/member-release.ts';
import { sentence } from '../sentence.ts';
import type { Release } from '../step.ts';

/**
 * Bootstraps a cluster or adopts a running one: everything that happens before an identity is recorded. Exactly one seed may bootstrap a
 * cluster, and only after a live read has shown that nothing of this cluster exists (operator rules 1, 5, 13, 30).
 */
export function bootstrap(
  observation: Observation,
  desired: Desired,
  identity: Extract<Identity, { kind: 'unrecorded' }>,
): Proposal {
  const { cluster, pods } = observation;
  const { incarnation } = identity;
  const name = seedName(cluster.name, cluster.uid, incarnation);
  const own = pods.filter((pod) => pod.ownership === 'ours' && pod.incarnation === incarnation);
  const others = own.filter((pod) => pod.name !== name);
  if (others.length > 0) return adopt(observation, others, incarnation);
  const seed = own.find((pod) => pod.name === name);
  if (seed) return awaitSeed(observation, desired, seed, incarnation);
  const obstacle = whyNotBootstrapped(observation, name, identity) ?? whyVolumeCannotBeUsed(observation, name, desired);
  if (obstacle) return waitFor(obstacle, later);
  return take(
    { do: 'createSeed', name, incarnation, ...releaseForSeed(observation, desired, name) },
    `Bootstrapping: creating first member ${name} (1 of ${desired.size}).`,
  );
}

/**
 * The release for the seed: the wanted release. If the volume of the seed records a version of another minor, that version is used, because
 * it may have bootstrapped a cluster on the volume.
 */
function releaseForSeed({ volumes }: Observation, desired: Desired, name: string): Release {
  const volume = volumes.find((item) => item.ownership === 'ours' && item.name === name);
  const [had, wants] = [parseVersion(volume?.version ?? ''), parseVersion(desired.version)];
  return volume && had && wants && !isSameMinor(wants, had)
    ? releaseOfVersion(desired, volume.version)
    : wantedRelease(desired);
}

/** Why the safety gate objects to bootstrapping; undefined if it does not. */
function whyNotBootstrapped(
  { pods, volumes, secretProblems }: Observation,
  name: string,
  { incarnation, succeeds }: Extract<Identity, { kind: 'unrecorded' }>,
): string | undefined {
  const say = <T>(found: T | undefined, words: (found: T) => string) =>
    found === undefined ? undefined : words(found);
  const ownPod = first(pods, (pod) => pod.ownership === 'ours');
  const volume = first(volumes, (item) => item.ownership === 'ours' && item.name !== name);
  const stale = first(volumes, (item) => item.name === name && (item.terminating || item.ownership === 'other'));
  const [objection] = objectionsTo('bootstrap', {
    earlierIncarnation: succeeds
      ? `A previous incarnation of this cluster is recorded. Incarnation ${incarnation} can only be created by an EtcdRestore, never as an empty cluster.`
      : undefined,
    ownPod: say(
      ownPod,
      (pod) =>
        `pod/${pod.name} belongs to another incarnation of this cluster (a restore creates an incarnation) and may hold data, so no new cluster is created. Restore a backup with an EtcdRestore, or delete the pod if its data is not needed.`,
    ),
    ownVolume: say(
      volume,
      (item) =>
        `pvc/${item.name} belongs to this cluster, but no cluster ID is recorded. ` +
        'Restore a backup with an EtcdRestore, or delete the PVC if its data is not needed.',
    ),
    staleSeedVolume: say(
      stale,
      () => `Waiting for the old PVC ${name} to be deleted before creating the first member.`,
    ),
    podOfOtherOwner: say(
      first(pods, () => true),
      (pod) =>
        `Waiting for pod/${pod.name} to be deleted: it belongs to an earlier EtcdCluster of the same name and would be mistaken for a member.`,
    ),
    secretProblem: secretProblems.length > 0 ? `${secretProblems.join('; ')}.` : undefined,
  });
  return objection?.evidence;
}

/**
 * etcd stores the address of the first member, which begins with http or https, in its data. If spec.TLS has changed since, joining members
 * cannot connect to this address.
 */
function whyVolumeCannotBeUsed({ volumes }: Observation, name: string, desired: Desired): string | undefined {
  const tls = volumes.find((volume) => volume.name === name)?.tls;
  if (!tls || (tls.peer === desired.peerTLS && tls.client === desired.clientTLS)) return undefined;
  return `pvc/${name} was created with another spec.TLS. Change spec.TLS back, or delete the PVC if its data is not needed.`;
}

/** The first match by name, so that the order of the list does not matter. */
function first<T extends { readonly name: string }>(items: readonly T[], matches: (item: T) => boolean): T | undefined {
  return items.filter(matches).sort((a, b) => (a.name < b.name ? -1 : 1))[0];
}

/** Waits for the seed to serve, then clears its bootstrap configuration and records the cluster's identity. */
function awaitSeed(observation: Observation, desired: Desired, seed: MemberPod, incarnation: number): Proposal {
  // The data of a seed without a volume is deleted with its pod, and no other member has the data. So the cluster of this seed is not
  // recorded; the next seed bootstraps again.
  if (seed.terminating) return waitFor(`Waiting for the pod of first member ${seed.name} to be deleted.`, later);
  const answer = observation.etcd.answers.get(seed.name);
  if (answer?.kind === 'status') {
    return isListedAs(observation, seed, answer)
      ? recordSeed(seed, answer, incarnation)
      : waitFor(
          `Waiting for first member ${seed.name}: its etcd does not list ${seed.name} as a member of cluster ${answer.clusterId} yet.`,
          soon,
        );
  }
  if (seed.phase === 'Failed' || seed.phase === 'Succeeded') {
    return take(
      { do: 'deletePod', name: seed.name, uid: seed.uid, force: false },
      `Recreating pod/${seed.name} of the first member: it stopped (${seed.phase}) before the cluster was bootstrapped.`,
    );
  }
  return (
    correctSeed(observation, desired, seed) ??
    waitFor(seedWait(seed) + outdatedImage(seed, desired), seed.container.startedAt > 0 ? soon : later)
  );
}

/**
 * True if the cluster that answers at the address of the seed lists the seed as a member. A moment ago the address may have belonged to
 * another pod, and the ID of another cluster must not be recorded for this EtcdCluster.
 */
function isListedAs(
  { etcd: { membership } }: Observation,
  { name }: MemberPod,
  { clusterId, memberId }: { readonly clusterId: string; readonly memberId: string },
): boolean {
  if (membership.kind === 'unknown' || membership.clusterId !== clusterId) return false;
  return membership.members.some(({ id, podName }) => id === memberId && podName === name);
}

/**
 * Recreates a seed that does not run and differs from the spec. If no etcd has ever run on the volume of the seed, the volume is deleted
 * too.
 */
function correctSeed(observation: Observation, desired: Desired, seed: MemberPod): Proposal | undefined {
  if (!isIdle(seed)) return undefined;
  const volume = observation.volumes.find((item) => item.name === seed.name && item.ownership === 'ours');
  const isEmpty = volume !== undefined && isStuck(seed) && isUnused(volume, seed);
  const expected = isEmpty ? desired.image : releaseForSeed(observation, desired, seed.name).image;
  const fields = outdatedFields(seed, expected, desired.storage);
  if (fields.length === 0) return undefined;
  if (!isEmpty || volume.terminating) return recreatePod(seed, fields);
  const reason = `Deleting pvc/${seed.name}: no etcd has ever run on it.`;
  const removal = { step: { do: 'deleteVolume', name: volume.name, uid: volume.uid }, reason } as const;
  // The volume is deleted only if the pod has not changed since the observation: it may have started a moment ago.
  const again = recreatePod(seed, fields, seed.resourceVersion);
  return { ...again, steps: [...again.steps, removal] };
}

/** True if no etcd has ever run on the volume. A pod that was recreated on an old volume does not show what ran on this volume before. */
function isUnused(volume: MemberVolume, seed: MemberPod): boolean {
  return hasNeverRun(seed) && (seed.freshVolume || volume.phase === 'Pending');
}

/**
 * Clears the bootstrap configuration before anything is recorded (operator rule 1). The pod of the seed keeps the version that it was
 * bootstrapped with.
 */
function recordSeed(
  seed: MemberPod,
  { clusterId, memberId }: { readonly clusterId: string; readonly memberId: string },
  incarnation: number,
): Proposal {
  const { name, uid, resourceVersion } = seed;
  const bootstrapVersion = seed.boot === 'new' && seed.previousVersion === '' ? seed.version : '';
  return {
    steps: [
      {
        step: {
          do: 'clearBootstrap',
          pod: name,
          uid,
          resourceVersion,
          clusterId,
          memberId,
          markVoter: true,
          onVolume: seed.data === 'claim',
          version: seed.version,
          bootstrapVersion,
        },
        reason: `Clearing the bootstrap configuration of pod/${name}: cluster ${clusterId} is bootstrapped, and the pod must not start on an empty directory again.`,
      },
      {
        step: { do: 'recordIdentity', clusterId, incarnation, bootstrapVersion },
        reason: `Recording cluster ID ${clusterId}, so that no other cluster is bootstrapped for this EtcdCluster.`,
      },
    ],
    waits: [],
  };
}

function seedWait(seed: MemberPod): string {
  const { state, reason, message } = seed.container;
  if (seed.node === '')
    return `Waiting for first member ${seed.name} to be scheduled${message ? `: ${sentence(message)}` : '.'}`;
  if (state === 'waiting' && reason)
    return `Waiting for first member ${seed.name} to start: ${reason}${message ? ` (${message.slice(0, 200)})` : ''}.`;
  return `Waiting for first member ${seed.name} to start.`;
}

/** Why a seed that cannot start does not get the image of the spec; empty if there is nothing to say. */
function outdatedImage(seed: MemberPod, { version, image }: Desired): string {
  if (seed.data !== 'claim' || !isStuck(seed) || seed.image === image) return '';
  return (
    ` pvc/${seed.name} was created for etcd ${seed.version} and may hold its data, so etcd ${version} is not started on it. ` +
    'Delete the PVC if its data is not needed.'
  );
}

/** Handles pods of this object without a recorded cluster ID: they were created by CoreOS etcd-operator, or the status was lost. */
function adopt({ etcd }: Observation, pods: readonly MemberPod[], incarnation: number): Proposal {
  const { membership } = etcd;
  if (membership.kind === 'unknown') {
    return waitFor(
      `status has no cluster ID, but ${counted(pods.length, 'pod')} of this cluster ${isOrAre(pods.length)} running and the operator cannot get the member list from them (${membership.why.slice(0, 200)}). No new cluster is created while they exist. Check that the operator can reach these pods.`,
      later,
    );
  }
  if (!membership.members.some(({ podName }) => pods.some(({ name }) => name === podName))) {
    return waitFor(
      `The etcd that answers at the address of pod/${pods[0]?.name} (cluster ${membership.clusterId}) does not list any pod of this cluster as a member, so the operator does not take over that etcd cluster.`,
      later,
    );
  }
  return take(
    { do: 'recordIdentity', clusterId: membership.clusterId, incarnation, bootstrapVersion: '' },
    `Adopting the running cluster ${membership.clusterId} of ${counted(membership.members.length, 'member')}, without restarting any.`,
  );
}
