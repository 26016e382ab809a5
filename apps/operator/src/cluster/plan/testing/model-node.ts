// SPDX-License-Identifier: Apache-2.0
import { type EtcdVersion, parseVersion } from '@operator-parts/etcd';
import type { MemberPod, NodeFacts } from '../../observation.ts';
import type { Mutable } from './mutable.ts';

/** A node of the model. */
export interface ModelNode {
  facts: Mutable<NodeFacts>;
  /** False while the node is switched off or cut off from the network: nothing on the node runs or reports. */
  isUp: boolean;
  downSince: number | undefined;
  /** True while the node cannot start new pods: a volume does not attach, or the network assigns no address. */
  isJammed: boolean;
}

/** Data of a pod in the model that the operator cannot observe. */
export interface PodInside {
  /** The revision of the spec that the pod was created from. */
  template: number;
  labels: number;
  /** UID of its PersistentVolumeClaim; empty if it has none. */
  readonly volumeUid: string;
  deletedAt: number | undefined;
  /** The image with which its present container was started; empty if no container was started. */
  startedImage: string;
  containers: number;
  /** When its etcd was connected to its peers; undefined while it is not. */
  upSince: number | undefined;
  /** Number of raft snapshots of the present process. */
  snapshots: number;
  isBootstrapSetByHand: boolean;
}

export interface ModelPod {
  readonly facts: Mutable<MemberPod>;
  readonly inside: PodInside;
}

export function healthyNode(): ModelNode {
  const facts = { exists: true, ready: true, schedulable: true, outOfService: false };
  return { facts, isUp: true, downSince: undefined, isJammed: false };
}

/** Makes the container wait, for a reason that does not go away by itself. */
export function waiting(pod: ModelPod, reason: string, message: string): void {
  const restarts = Math.max(pod.facts.container.restarts, pod.inside.containers);
  pod.facts.container = {
    ...pod.facts.container,
    state: 'waiting',
    reason,
    message,
    startedAt: 0,
    runningSince: 0,
    restarts,
  };
  pod.facts.ready = false;
}

/** Makes the container end with an error; the kubelet then restarts it. */
export function crashed(pod: ModelPod, message: string, reason = 'Error'): void {
  const { restarts } = pod.facts.container;
  pod.facts.container = {
    ...pod.facts.container,
    state: 'waiting',
    reason: 'CrashLoopBackOff',
    message: 'back-off',
    startedAt: 0,
    runningSince: 0,
    restarts: restarts + 1,
    lastExit: { code: 1, reason, message },
  };
  pod.facts.ready = false;
}

/** The version that the process reports. After a change of the image, this may still be the old version. */
export function runningVersionOf({ inside }: ModelPod): string {
  return inside.startedImage.split(':v')[1] ?? '';
}

/** Cached because there are few images, and a run of random scripts asks for them about a hundred thousand times. */
const versions = new Map<string, EtcdVersion | undefined>();

/** The parsed `runningVersionOf`. */
export function startedVersion(pod: ModelPod): EtcdVersion | undefined {
  const image = pod.inside.startedImage;
  if (!versions.has(image)) versions.set(image, parseVersion(runningVersionOf(pod)));
  return versions.get(image);
}
