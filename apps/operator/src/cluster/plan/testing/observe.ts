// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@operator-parts/etcd';
import type {
  Answer,
  Drift,
  EtcdMember,
  IdentityRecord,
  MemberPod,
  Membership,
  MemberVolume,
  Observation,
} from '../../observation.ts';
import { isAboutUpgrade } from '../../observe/observe.ts';
import { recoveryName } from '../quorum/recovery.ts';
import { type ModelMember, peerUrlOf } from './model-etcd.ts';
import { type ModelPod, runningVersionOf } from './model-node.ts';
import type { World } from './world.ts';

/** The Kubernetes part of an observation. Caches may show an older state of it. */
export type KubernetesView = Omit<Observation, 'etcd'>;

/** What the operator observes: Kubernetes as given in `kubernetes`, etcd as it is now. */
export function observeWorld(world: World, kubernetes: KubernetesView = kubernetesView(world)): Observation {
  return { ...kubernetes, etcd: etcdView(world, kubernetes) };
}

export function kubernetesView(world: World): KubernetesView {
  return {
    cluster: {
      name: 'c',
      namespace: 'ns',
      uid: world.uid,
      generation: world.generation,
      desired: world.desired,
      paused: world.paused,
      deleting: false,
      recordedInStatus: recordInStatus(world),
      recordedInAnnotation: world.inAnnotation,
      isLive: true,
      bootstrapVersion: world.bootstrapVersion,
      currentVersion: world.status?.currentVersion ?? '',
      failedUpgrade: world.status?.failedUpgrade,
      lastMembers: (world.status?.memberDetails ?? []).map(({ name, id = '', role, node = '' }) => ({
        name,
        id,
        isLearner: role === 'Learner',
        node,
      })),
    },
    pods: [...world.pods.values()].map((pod) => podFacts(world, pod)),
    volumes: [...world.volumes.values()].map((volume) => ({ ...volume })),
    services: { ...world.services },
    budget: { minAvailable: world.minAvailable, otherOwner: false },
    nodes: new Map([...world.nodes].map(([name, node]) => [name, { ...node.facts }])),
    imageChecks: [...world.imageChecks].map(([name, check]) => ({
      node: check.node,
      image: check.image,
      name,
      uid: name,
      seenSince: world.memory.objects.since(name),
      ...verdict(world, check),
    })),
    secretProblems: world.secretProblems,
    coreosOperator: undefined,
    recovery: world.restores.has(recoveryName('c', world.etcd.clusterId))
      ? { kind: 'begun', phase: '', reason: '' }
      : { kind: 'none' },
  };
}

function recordInStatus({ status }: World): IdentityRecord | undefined {
  if (!status?.clusterID) return undefined;
  return { clusterId: status.clusterID, incarnation: status.incarnation ?? 1 };
}

function podFacts(world: World, { facts, inside }: ModelPod): MemberPod {
  const drift: Drift[] = [];
  if (!facts.adopted && inside.template !== world.template) drift.push({ field: 'nodeSelector', remedy: 'replace' });
  if (!facts.adopted && inside.labels !== world.labels) drift.push({ field: 'labels', remedy: 'inPlace' });
  const seenSince = (key: string) => world.memory.objects.since(key);
  const runningSince = facts.container.state === 'running' ? seenSince(facts.container.id) : 0;
  return { ...facts, seenSince: seenSince(facts.uid), container: { ...facts.container, runningSince }, drift };
}

function verdict(world: World, check: { node: string; image: string; createdAt: number }) {
  const isUp = world.nodes.get(check.node)?.isUp;
  if (!isUp || world.now === check.createdAt) return { result: 'pending', detail: '' } as const;
  if (world.brokenImages.has(check.image)) return { result: 'failed', detail: 'not found' } as const;
  return { result: 'succeeded', detail: check.image.split(':v')[1] ?? '' } as const;
}

function etcdView(world: World, kubernetes: KubernetesView): Observation['etcd'] {
  const { etcd, memory } = world;
  const pods = kubernetes.pods.flatMap(({ name, uid }) => {
    const pod = world.pods.get(name);
    return pod?.facts.uid === uid ? [pod] : [];
  });
  const answers = new Map(pods.map((pod) => [pod.facts.name, answerOf(world, pod)]));
  const own = pods.filter((pod) => isOwnAnswer(world, pod) && world.processOf(pod) !== undefined);
  const isKnown = world.hasQuorum() && own.some((pod) => isVoter(world, pod));
  memory.listed.forget(isKnown ? 'no quorum' : 'quorum');
  const membership: Membership = isKnown
    ? {
        kind: 'known',
        clusterId: etcd.clusterId,
        members: etcd.members.map((member) => listed(world, member)),
        since: memory.listed.since('quorum'),
      }
    : {
        kind: 'unknown',
        why: 'no quorum',
        since: memory.listed.since('no quorum'),
        remembered: remembered(world, own),
      };
  return {
    membership: astray(world, kubernetes) ?? membership,
    // Read only while it is needed.
    clusterVersion: isAboutUpgrade(kubernetes) && etcd.clusterMinor > 0 ? `3.${etcd.clusterMinor}.0` : '',
    answers,
    heard: new Map(world.isDeaf ? [] : own.map((pod) => [pod.facts.name, heardBy(world, pod)])),
    hashes: hashesOf(world, own),
  };
}

/** The hashes are read while CORRUPT is raised, from voters only, at the lowest of their current revisions. */
function hashesOf(world: World, own: readonly ModelPod[]): Observation['etcd']['hashes'] {
  if (!world.isCorrupt) return new Map();
  const voters = own.filter((pod) => isVoter(world, pod));
  const directories = voters.map((pod) => world.directories.get(world.placeOf(pod)));
  const revision = Math.min(...directories.map((directory) => directory?.log ?? 0));
  return new Map(
    voters.map((pod, index) => {
      const { fault, log = 0 } = directories[index] ?? {};
      return [pod.facts.name, { hash: Number(fault ?? 0), revision, compactRevision: 1, reached: log }];
    }),
  );
}

/** A leader hears from every connected member, a follower only from its leader. */
function heardBy(world: World, pod: ModelPod): ReadonlySet<string> {
  const id = world.processOf(pod)?.memberId;
  const others = [...world.processes().keys()].filter((other) => other !== id);
  return new Set(id === world.etcd.leaderId ? others : others.filter((other) => other === world.etcd.leaderId));
}

/** Before a cluster ID is recorded, the operator has to believe any member that answers at the first member's address. */
function astray(world: World, { cluster, pods }: KubernetesView): Membership | undefined {
  if (cluster.recordedInAnnotation || cluster.recordedInStatus || pods.length !== 1) return undefined;
  const stray = world.strays.get(pods[0]?.uid ?? '');
  if (stray?.to !== elsewhere) return undefined;
  const member = {
    id: otherCluster.memberId,
    name: 'db',
    podName: 'db',
    peerURLs: [peerUrlOf('db')],
    isLearner: false,
  };
  const { since } = { since: world.now };
  return { kind: 'known', clusterId: otherCluster.clusterId, members: [{ ...member, seenSince: since }], since };
}

function isVoter(world: World, pod: ModelPod): boolean {
  const id = world.processOf(pod)?.memberId;
  return world.etcd.voters().some((member) => member.id === id);
}

/** The member list that a reachable member remembers, with or without a quorum. */
function remembered(world: World, own: readonly ModelPod[]): readonly EtcdMember[] {
  return own.length > 0 ? world.etcd.members.map((member) => listed(world, member)) : [];
}

function listed(world: World, { id, podName, name, isLearner }: ModelMember): EtcdMember {
  const seenSince = world.memory.listed.since(id);
  return { id, name, podName, peerURLs: [peerUrlOf(podName)], isLearner, seenSince };
}

/** The target of an address that now belongs to another cluster. */
export const elsewhere = 'elsewhere';
const otherCluster = { clusterId: 'other', memberId: 'ffff' };

function isOwnAnswer(world: World, pod: ModelPod): boolean {
  return world.isReachable(pod) && !world.strays.has(pod.facts.uid);
}

function answerOf(world: World, pod: ModelPod): Answer {
  const { uid, ip } = pod.facts;
  const said = ip === '' ? undefined : saidAt(world, pod);
  if (!said) {
    const { since, hasAnswered } = world.memory.answers.unanswered(uid);
    const why = ip === '' ? 'its pod has no IP address' : 'connection refused';
    return { kind: 'unreachable', since, why, ...(!hasAnswered && { neverAnswered: true }) };
  }
  return { ...said, ...world.memory.answers.answered(uid, said) };
}

type Said = Omit<Extract<Answer, { kind: 'status' }>, 'since' | 'leaderlessSince' | 'identitySince'>;

/** The answer at a pod's address; undefined if there is none. */
function saidAt(world: World, pod: ModelPod): Said | undefined {
  const stray = world.strays.get(pod.facts.uid);
  if (!stray) return saidBy(world, pod);
  const other = [...world.pods.values()].find(({ facts }) => facts.uid === stray.to);
  if (other) return saidBy(world, other);
  const common = { version: pod.facts.version, isLearner: false, revision: 7, raftIndex: 7, raftAppliedIndex: 7 };
  const rest = { dbSize: 1000, alarms: [], raftSnapshots: 0, downgradeTarget: '', storageVersion: '' };
  return { kind: 'status', ...otherCluster, leaderId: otherCluster.memberId, ...common, ...rest };
}

function saidBy(world: World, pod: ModelPod): Said | undefined {
  const directory = world.directories.get(world.placeOf(pod));
  if (!directory || !world.isReachable(pod)) return undefined;
  const member = world.members.find((candidate) => candidate.id === directory.memberId);
  const isFollowing = world.hasQuorum() && member !== undefined && world.processOf(pod) !== undefined;
  return {
    kind: 'status',
    memberId: directory.memberId,
    clusterId: directory.clusterId,
    version: runningVersionOf(pod),
    leaderId: isFollowing ? world.etcd.leaderId : '',
    isLearner: member?.isLearner ?? false,
    revision: directory.log,
    raftIndex: directory.log,
    raftAppliedIndex: directory.log,
    dbSize: 1000,
    alarms: world.alarms.map(({ alarm, memberId }) => `memberID:${Number.parseInt(memberId, 16)} alarm:${alarm} `),
    raftSnapshots: pod.inside.snapshots,
    downgradeTarget: world.etcd.downgradeTo > 0 ? `3.${world.etcd.downgradeTo}.0` : '',
    storageVersion: `3.${directory.storageMinor}.0`,
  };
}

/** True if a quorum can return, because enough voters still have their data. */
export function canComeBack(world: World): boolean {
  const isUsable = ({ uid }: MemberVolume) => world.nodes.get(world.pins.get(uid) ?? '')?.facts.exists !== false;
  const volumes = [...world.volumes.values()].filter((volume) => !volume.terminating && isUsable(volume));
  const pods = [...world.pods.values()].filter(
    ({ facts, inside }) =>
      facts.phase !== 'Failed' &&
      !facts.terminating &&
      world.nodes.get(facts.node)?.facts.exists !== false &&
      (facts.data !== 'claim' || volumes.some(({ uid }) => uid === inside.volumeUid)),
  );
  const places = [
    ...volumes.map(({ name, uid }) => [name, `volume/${uid}`] as const),
    ...pods.map((pod) => [pod.facts.name, world.placeOf(pod)] as const),
  ];
  // A member that has never started can still start, unless its volume is on a lost node: without a quorum only the user deletes that
  // volume.
  const isBound = (podName: string) => {
    const volume = world.volumes.get(podName);
    return volume !== undefined && !isUsable(volume);
  };
  const isThere = ({ id, podName, name }: ModelMember) =>
    (name === '' && !isBound(podName)) ||
    world.unmanaged.has(id) ||
    places.some(([at, place]) => at === podName && world.directories.get(place)?.memberId === id);
  const voters = world.etcd.voters();
  return voters.filter(isThere).length >= quorum(voters.length);
}
