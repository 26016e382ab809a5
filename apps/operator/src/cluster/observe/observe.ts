// SPDX-License-Identifier: Apache-2.0
import { memberAddress } from '@operator-parts/etcd';
import type { Node, Pod } from '@operator-parts/kube';
import { identityOf } from '../../identity/object-identity.ts';
import type { EtcdObserver } from '../etcd/etcd-observer.ts';
import type { ClusterCredentials, MemberTarget } from '../etcd/member-pool.ts';
import type { PodGrants } from '../grants/pod-grants.ts';
import { isOwnedBy } from '../objects/owner.ts';
import { clientService, peerService } from '../objects/services.ts';
import type { ClusterFacts, MemberPod, NodeFacts, Observation } from '../observation.ts';
import { identify } from '../plan/identity/identify.ts';
import { clusterFacts } from './cluster-facts.ts';
import type { ClusterObjects } from './gather.ts';
import { imageCheckFacts } from './image-check-facts.ts';
import { podFacts } from './pod-facts.ts';
import { budgetFacts, serviceState } from './service-facts.ts';
import { volumeFacts } from './volume-facts.ts';

/** What is known besides Kubernetes objects and etcd. */
export interface ObserveInputs {
  readonly credentials: ClusterCredentials;
  readonly secretProblems: readonly string[];
  readonly coreosOperator: string | undefined;
  /** The output of image checks that succeeded, by pod UID. */
  readonly imageCheckOutput: ReadonlyMap<string, string>;
  readonly isLive: boolean;
  /** Which pods the administrator allows. @default unknown: nothing is refused */
  readonly grants?: PodGrants;
  /** When this operator first saw the object with this key, by its monotonic clock. */
  readonly seenSince: (key: string) => number;
}

/** The observation without etcd's view. It is made from objects that were already read, without any request. */
export type KubernetesView = Omit<Observation, 'etcd'>;

/** Turns objects into facts. Pure. */
export function kubernetesView(found: ClusterObjects, inputs: ObserveInputs): KubernetesView {
  const { cluster } = found;
  const identity = identityOf(cluster);
  const owned = found.pods.filter((pod) => isOwnedBy(pod, identity.uid));
  return {
    cluster: clusterFacts(cluster, inputs.isLive, inputs.grants, owned),
    pods: found.pods
      .map((pod) => podFacts(pod, identity.uid, cluster.spec, inputs.seenSince))
      .filter((pod) => pod.ownership === 'ours' || !pod.isolated),
    volumes: found.volumes.map((volume) => volumeFacts(volume, identity.uid)),
    services: {
      peer: serviceState(found.peerService, peerService(identity), identity.uid),
      client: serviceState(found.clientService, clientService(identity, cluster.spec.service), identity.uid),
    },
    budget: budgetFacts(found.budget, identity),
    nodes: new Map([...found.nodes].map(([name, node]) => [name, nodeFacts(node)])),
    imageChecks: found.imageChecks.map((pod) =>
      imageCheckFacts(pod, inputs.imageCheckOutput.get(pod.metadata?.uid ?? ''), inputs.seenSince),
    ),
    secretProblems: inputs.secretProblems,
    coreosOperator: inputs.coreosOperator,
  };
}

/** Adds etcd's view, read after everything else (see `Observation`). */
export async function observe(
  view: KubernetesView,
  observer: EtcdObserver,
  credentials: ClusterCredentials,
  signal: AbortSignal,
): Promise<Observation> {
  const questions = { aboutUpgrade: isAboutUpgrade(view), reconnect: view.cluster.isLive };
  const etcd = await observer.observe(targetsOf(view), credentials, questions, signal);
  return { ...view, etcd };
}

/**
 * The pods of this incarnation, whose etcd is asked. Pods without an address are included, so that the operator remembers since when they
 * have not answered.
 */
export function targetsOf(view: KubernetesView): readonly MemberTarget[] {
  const { cluster } = view;
  const identity = identify({
    ...view,
    etcd: {
      membership: { kind: 'unknown', why: '' },
      clusterVersion: '',
      answers: new Map(),
      heard: new Map(),
      hashes: new Map(),
    },
  });
  const clusterId = identity.kind === 'recorded' ? identity.clusterId : '';
  const incarnation = identity.kind === 'conflict' ? 0 : identity.incarnation;
  return view.pods
    .filter((pod) => pod.ownership === 'ours' && pod.incarnation === incarnation)
    .map((pod) => ({
      podName: pod.name,
      podUid: pod.uid,
      ip: pod.ip,
      serverName: hostOf(pod, cluster),
      isEnding: pod.terminating,
      hasEnded: pod.terminating && pod.container.state === 'terminated',
      isJoining: pod.boot === 'existing' && !pod.terminating,
      clusterId,
      memberId: pod.memberId,
    }));
}

function hostOf(pod: MemberPod, { name, namespace, desired }: ClusterFacts): string {
  const clusterDomain = 'clusterDomain' in desired ? desired.clusterDomain : '';
  return memberAddress({ member: pod.name, cluster: name, namespace, clusterDomain }, { client: true, peer: true })
    .host;
}

/** True while the cluster version and the number of raft snapshots are needed. They are read only while they are needed. */
export function isAboutUpgrade({ cluster, pods }: Pick<KubernetesView, 'cluster' | 'pods'>): boolean {
  const { desired } = cluster;
  if ('problems' in desired) return false;
  return pods.some((pod) => pod.image !== desired.image || pod.snapshotCount !== '' || pod.previousVersion !== '');
}

function nodeFacts(node: Node | 'absent'): NodeFacts {
  if (node === 'absent') return { exists: false, ready: false, schedulable: false, outOfService: false };
  const { metadata, spec, status } = node;
  const ready = status?.conditions?.find((condition) => condition.type === 'Ready');
  const isReady = ready?.status === 'True';
  return {
    exists: true,
    ready: isReady,
    schedulable: !spec?.unschedulable && metadata?.deletionTimestamp === undefined,
    outOfService: spec?.taints?.some((taint) => taint.key === 'node.kubernetes.io/out-of-service') ?? false,
  };
}

/** Image checks that succeeded and whose output has not been read yet. */
export function unreadImageChecks(found: ClusterObjects, known: ReadonlyMap<string, string>): readonly Pod[] {
  return found.imageChecks.filter((pod) => pod.status?.phase === 'Succeeded' && !known.has(pod.metadata?.uid ?? ''));
}
