// SPDX-License-Identifier: Apache-2.0
import { isSameMinor, parseVersion } from '@etcd-operator/etcd';
import { objectionsTo } from '../../safety/gate.ts';
import type { Desired } from '../desired.ts';
import type { MemberPod, MemberVolume, Observation } from '../observation.ts';
import type { Identity } from './identity.ts';
import { seedName } from './member-naming.ts';
import { later, type Proposal, soon, take, waitFor } from './proposal.ts';
import { releaseOfVersion, wantedRelease } from './release.ts';
import type { Release } from './step.ts';
import { hasNeverRun, isIdle, isStuck, makeAnew, outdatedFields } from './stuck-pod.ts';

/**
 * The birth of a cluster, or the adoption of one that runs already: everything that happens before an identity is latched.
 * Exactly one seed may found a cluster, and only after a live read has shown that nothing of this cluster exists
 * (operator rules 1, 5, 13, 30).
 */
export function bootstrap(
  observation: Observation,
  desired: Desired,
  identity: Extract<Identity, { kind: 'unlatched' }>,
): Proposal {
  const { cluster, pods } = observation;
  const { incarnation } = identity;
  const name = seedName(cluster.name, cluster.uid, incarnation);
  const own = pods.filter((pod) => pod.ownership === 'ours' && pod.incarnation === incarnation);
  const others = own.filter((pod) => pod.name !== name);
  if (others.length > 0) return adopt(observation, others, incarnation);
  const seed = own.find((pod) => pod.name === name);
  if (seed) return nurse(observation, desired, seed, incarnation);
  const obstacle =
    whyNothingIsFounded(observation, name, identity) ?? whyVolumeCannotBeUsed(observation, name, desired);
  if (obstacle) return waitFor(obstacle, later);
  return take(
    { do: 'createSeed', name, incarnation, ...releaseForSeed(observation, desired, name) },
    `founds the cluster with its first member ${name}; ${desired.size === 1 ? 'it is the only one' : `${desired.size - 1} more will join it`}`,
  );
}

/** What the seed runs: as asked for, but of no other minor than what may have founded the cluster on its volume already. */
function releaseForSeed({ volumes }: Observation, desired: Desired, name: string): Release {
  const volume = volumes.find((item) => item.ownership === 'ours' && item.name === name);
  const [had, wants] = [parseVersion(volume?.version ?? ''), parseVersion(desired.version)];
  return volume && had && wants && !isSameMinor(wants, had)
    ? releaseOfVersion(desired, volume.version)
    : wantedRelease(desired);
}

/** What the gate says against bootstrapping; undefined if nothing does. */
function whyNothingIsFounded(
  { pods, volumes, secretProblems }: Observation,
  name: string,
  { incarnation, succeeds }: Extract<Identity, { kind: 'unlatched' }>,
): string | undefined {
  const say = <T>(found: T | undefined, words: (found: T) => string) =>
    found === undefined ? undefined : words(found);
  const ownPod = first(pods, (pod) => pod.ownership === 'ours');
  const volume = first(volumes, (item) => item.ownership === 'ours' && item.name !== name);
  const stale = first(volumes, (item) => item.name === name && (item.terminating || item.ownership === 'other'));
  const [objection] = objectionsTo('bootstrap', {
    earlierIncarnation: succeeds
      ? `an earlier incarnation of this cluster is on record: only an EtcdRestore bootstraps incarnation ${incarnation}, never empty`
      : undefined,
    ownPod: say(ownPod, (pod) => `pod/${pod.name} belongs to another incarnation of this object`),
    ownVolume: say(
      volume,
      (item) =>
        `volume ${item.name} belongs to this cluster, but no identity is recorded for it; ` +
        'restore from a backup, or delete the volume if its data is not wanted',
    ),
    staleSeedVolume: say(stale, () => `a volume ${name} from before is still there`),
    foreignPod: say(
      first(pods, () => true),
      (pod) => `pod/${pod.name} of an earlier cluster of this name is still there and would be mistaken for a member`,
    ),
    secretProblem: secretProblems.length > 0 ? secretProblems.join('; ') : undefined,
  });
  return objection?.evidence;
}

/** A founder's address is kept with its data: a seed that speaks otherwise would not be found by those who join. */
function whyVolumeCannotBeUsed({ volumes }: Observation, name: string, desired: Desired): string | undefined {
  const tls = volumes.find((volume) => volume.name === name)?.tls;
  if (!tls || (tls.peer === desired.peerTLS && tls.client === desired.clientTLS)) return undefined;
  return `volume ${name} was made for another spec.TLS: put spec.TLS back, or delete the volume if nothing on it is wanted`;
}

/** The first by name, so that the order of a list changes nothing. */
function first<T extends { readonly name: string }>(items: readonly T[], matches: (item: T) => boolean): T | undefined {
  return items.filter(matches).sort((a, b) => (a.name < b.name ? -1 : 1))[0];
}

/** Brings the seed to the point where it can no longer found anything, and with that latches the cluster's identity. */
function nurse(observation: Observation, desired: Desired, seed: MemberPod, incarnation: number): Proposal {
  // What it holds goes with it, and nobody else has been told of the cluster yet: the next seed starts afresh.
  if (seed.terminating) return waitFor(`the first member ${seed.name} is being deleted`, later);
  const answer = observation.etcd.answers.get(seed.name);
  if (answer?.kind === 'status') {
    return isListedAs(observation, seed, answer)
      ? latch(seed, answer, incarnation)
      : waitFor(
          `waiting for the first member ${seed.name} to list itself as a member of cluster ${answer.clusterId}`,
          soon,
        );
  }
  if (seed.phase === 'Failed' || seed.phase === 'Succeeded') {
    return take(
      { do: 'deletePod', name: seed.name, uid: seed.uid, force: false },
      `the first member's pod has ended (${seed.phase}) before the cluster was founded: it is made anew`,
    );
  }
  return (
    correctSeed(observation, desired, seed) ??
    waitFor(seedWait(seed) + heldBack(seed, desired), seed.container.startedAt > 0 ? soon : later)
  );
}

/**
 * True if the cluster that answers lists the seed under its own name. An address may have been another pod's a moment ago, and the
 * identity of somebody else's cluster must not be recorded for this one.
 */
function isListedAs(
  { etcd: { membership } }: Observation,
  { name }: MemberPod,
  { clusterId, memberId }: { readonly clusterId: string; readonly memberId: string },
): boolean {
  if (membership.kind === 'unknown' || membership.clusterId !== clusterId) return false;
  return membership.members.some(({ id, podName }) => id === memberId && podName === name);
}

/** A seed that does not run follows a corrected spec. One that could never be started leaves an empty volume: it goes too. */
function correctSeed(observation: Observation, desired: Desired, seed: MemberPod): Proposal | undefined {
  if (!isIdle(seed)) return undefined;
  const volume = observation.volumes.find((item) => item.name === seed.name && item.ownership === 'ours');
  const isEmpty = volume !== undefined && isStuck(seed) && isUnused(volume, seed);
  const expected = isEmpty ? desired.image : releaseForSeed(observation, desired, seed.name).image;
  const fields = outdatedFields(seed, expected, desired.storage);
  if (fields.length === 0) return undefined;
  if (!isEmpty || volume.terminating) return makeAnew(seed, fields);
  const reason = `nothing has ever run on the volume of ${seed.name}`;
  const removal = { step: { do: 'deleteVolume', name: volume.name, uid: volume.uid }, reason } as const;
  // The volume goes only if the pod is exactly as it was seen: it may have been started a moment ago.
  const again = makeAnew(seed, fields, seed.resourceVersion);
  return { ...again, steps: [...again.steps, removal] };
}

/** A pod that was made anew on an old volume says nothing about what ran there before it. */
function isUnused(volume: MemberVolume, seed: MemberPod): boolean {
  return hasNeverRun(seed) && (seed.freshVolume || volume.phase === 'Pending');
}

/** Disarmed before anything is recorded on the object (operator rule 1). A founder knows the version it was born with. */
function latch(
  seed: MemberPod,
  { clusterId, memberId }: { readonly clusterId: string; readonly memberId: string },
  incarnation: number,
): Proposal {
  const { name, uid, resourceVersion } = seed;
  const bornVersion = seed.boot === 'new' && seed.previousVersion === '' ? seed.version : '';
  return {
    steps: [
      {
        step: {
          do: 'disarm',
          pod: name,
          uid,
          resourceVersion,
          clusterId,
          memberId,
          markVoter: true,
          onVolume: seed.data === 'claim',
          version: seed.version,
          bornVersion,
        },
        reason: `the cluster is founded (ID ${clusterId}): from now on ${name} must not start on an empty directory`,
      },
      {
        step: { do: 'latchIdentity', clusterId, incarnation, bornVersion },
        reason: `records that this object is etcd cluster ${clusterId}, so that no other can ever be founded in its place`,
      },
    ],
    waits: [],
  };
}

function seedWait(seed: MemberPod): string {
  const { state, reason, message } = seed.container;
  if (seed.node === '')
    return `the first member ${seed.name} waits to be scheduled${message ? `: ${message.slice(0, 200)}` : ''}`;
  if (state === 'waiting' && reason)
    return `the first member ${seed.name} cannot start: ${reason}${message ? ` (${message.slice(0, 200)})` : ''}`;
  return `the first member ${seed.name} is starting`;
}

/** Why it does not follow the spec, if it cannot start as it is. */
function heldBack(seed: MemberPod, { version, image }: Desired): string {
  if (seed.data !== 'claim' || !isStuck(seed) || seed.image === image) return '';
  return (
    `; its volume was made for ${seed.version} and may hold data of it, so that ${version} is not tried: ` +
    `delete volume claim ${seed.name} if nothing on it is wanted`
  );
}

/** Pods of this object that nobody recorded an identity for: CoreOS's etcd-operator's, or a status that was lost. */
function adopt({ etcd }: Observation, pods: readonly MemberPod[], incarnation: number): Proposal {
  const { membership } = etcd;
  if (membership.kind === 'unknown') {
    return waitFor(
      `${pods.length} pods of this cluster run without a recorded identity and do not tell their membership (${membership.why.slice(0, 200)}): nothing is bootstrapped beside them`,
      later,
    );
  }
  if (!membership.members.some(({ podName }) => pods.some(({ name }) => name === podName))) {
    return waitFor(
      `the etcd that answers for pod/${pods[0]?.name} (cluster ${membership.clusterId}) lists none of this cluster's pods: nothing is taken over`,
      later,
    );
  }
  return take(
    { do: 'latchIdentity', clusterId: membership.clusterId, incarnation, bornVersion: '' },
    `takes over a running cluster of ${membership.members.length} members (ID ${membership.clusterId}) without restarting any`,
  );
}
