// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@etcd-operator/etcd';
import type { Answer, Drift, EtcdMember, Latch, MemberPod, Observation } from '../../observation.ts';
import { type ModelMember, peerUrlOf } from './model-etcd.ts';
import type { ModelPod } from './model-node.ts';
import type { World } from './world.ts';

/** The Kubernetes part, which a cache may show late. */
export type KubernetesView = Omit<Observation, 'etcd'>;

/** What the operator sees: caches as old as `kubernetes`, etcd as it is. */
export function observeWorld(world: World, kubernetes: KubernetesView = kubernetesView(world)): Observation {
  return { ...kubernetes, etcd: etcdView(world) };
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
      latchedInStatus: latchInStatus(world),
      latchedInAnnotation: world.inAnnotation,
      isLive: true,
      bornVersion: world.bornVersion,
      currentVersion: world.status?.currentVersion ?? '',
      failedUpgrade: world.status?.failedUpgrade,
    },
    pods: [...world.pods.values()].map((pod) => podFacts(world, pod)),
    volumes: [...world.volumes.values()].map((volume) => ({ ...volume })),
    services: { ...world.services },
    budget: { minAvailable: world.minAvailable, foreign: false },
    nodes: new Map([...world.nodes].map(([name, node]) => [name, { ...node.facts }])),
    imageChecks: [...world.imageChecks].map(([name, check]) => ({
      ...check,
      name,
      uid: name,
      ...verdict(world, check),
    })),
    secretProblems: world.secretProblems,
    oldOperator: undefined,
  };
}

function latchInStatus({ status }: World): Latch | undefined {
  if (!status?.clusterID) return undefined;
  return { clusterId: status.clusterID, incarnation: status.incarnation ?? 1 };
}

function podFacts(world: World, { facts, inside }: ModelPod): MemberPod {
  const drift: Drift[] = [];
  if (!facts.adopted && inside.template !== world.template) drift.push({ field: 'nodeSelector', remedy: 'replace' });
  if (!facts.adopted && inside.labels !== world.labels) drift.push({ field: 'labels', remedy: 'inPlace' });
  return { ...facts, drift };
}

function verdict(world: World, check: { node: string; image: string; createdAt: number }) {
  const isUp = world.nodes.get(check.node)?.isUp;
  if (!isUp || world.now === check.createdAt) return { result: 'pending', detail: '' } as const;
  if (world.brokenImages.has(check.image)) return { result: 'failed', detail: 'not found' } as const;
  return { result: 'succeeded', detail: check.image.split(':v')[1] ?? '' } as const;
}

function etcdView(world: World): Observation['etcd'] {
  const { etcd } = world;
  return {
    membership: world.hasQuorum()
      ? { kind: 'known', clusterId: etcd.clusterId, members: etcd.members.map((member) => listed(member)) }
      : { kind: 'unknown', why: 'no quorum', remembered: remembered(world) },
    clusterVersion: etcd.clusterMinor > 0 ? `3.${etcd.clusterMinor}.0` : '',
    answers: new Map([...world.pods.values()].map((pod) => [pod.facts.name, answerOf(world, pod)])),
  };
}

/** Any member that is up has a list of its own, whether there is a quorum or not. */
function remembered(world: World): readonly EtcdMember[] {
  return world.processes().size > 0 ? world.etcd.members.map((member) => listed(member)) : [];
}

function listed({ id, podName, name, isLearner, addedAt }: ModelMember): EtcdMember {
  return { id, name, podName, peerURLs: [peerUrlOf(podName)], isLearner, seenSince: addedAt };
}

function answerOf(world: World, pod: ModelPod): Answer {
  const process = world.processOf(pod);
  if (!process) return { kind: 'silent', since: pod.inside.silentSince, why: 'connection refused' };
  const { directory } = process;
  const member = world.members.find((candidate) => candidate.id === process.memberId);
  const isFollowing = world.hasQuorum() && member !== undefined;
  return {
    kind: 'status',
    memberId: process.memberId,
    clusterId: directory.clusterId,
    version: world.runningVersionOf(pod),
    leaderId: isFollowing ? world.etcd.leaderId : '',
    leaderlessSince: isFollowing ? 0 : pod.inside.leaderlessSince,
    isLearner: member?.isLearner ?? false,
    revision: directory.log,
    raftIndex: directory.log,
    raftAppliedIndex: directory.log,
    dbSize: 1000,
    alarms: world.alarms,
    since: process.upSince,
    raftSnapshots: pod.inside.snapshots,
    downgradeTarget: world.etcd.downgradeTo > 0 ? `3.${world.etcd.downgradeTo}.0` : '',
    storageVersion: `3.${directory.storageMinor}.0`,
  };
}

/** True if enough voters' data is still somewhere for a quorum to come back. */
export function canComeBack(world: World): boolean {
  const volumes = [...world.volumes.values()].filter((volume) => !volume.terminating);
  const pods = [...world.pods.values()].filter(({ facts }) => facts.phase !== 'Failed' && !facts.terminating);
  const places = [
    ...volumes.map(({ name, uid }) => [name, `volume/${uid}`] as const),
    ...pods.map((pod) => [pod.facts.name, world.placeOf(pod)] as const),
  ];
  const isThere = ({ id, podName, name }: ModelMember) =>
    name === '' || places.some(([at, place]) => at === podName && world.directories.get(place)?.memberId === id);
  const voters = world.etcd.voters();
  return voters.filter(isThere).length >= quorum(voters.length);
}
