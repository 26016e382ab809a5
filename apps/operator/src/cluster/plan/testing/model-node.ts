// SPDX-License-Identifier: Apache-2.0
import { type EtcdVersion, parseVersion } from '@etcd-operator/etcd';
import type { ContainerFacts, MemberPod, NodeFacts } from '../../observation.ts';
import type { Mutable } from './mutable.ts';

/** A node of the model. */
export interface ModelNode {
  facts: Mutable<NodeFacts>;
  /** False while it is switched off or cut off: nothing on it runs or reports. */
  isUp: boolean;
  downSince: number | undefined;
  /** True while it can start no new pod: a volume that does not attach, a network that gives no address. */
  isJammed: boolean;
}

/** What a pod of the model carries besides what the operator sees. */
export interface PodInside {
  /** Which revision of the spec it was made from. */
  template: number;
  labels: number;
  /** UID of its volume claim; empty without one. */
  readonly volumeUid: string;
  deletedAt: number | undefined;
  /** The image its present container was started with; empty if none was. */
  startedImage: string;
  containers: number;
  /** Since when its etcd has been connected to its peers; undefined while it is not. */
  upSince: number | undefined;
  /** Raft snapshots of the present process. */
  snapshots: number;
  isArmedByHand: boolean;
}

export interface ModelPod {
  readonly facts: Mutable<MemberPod>;
  readonly inside: PodInside;
}

/** A container that has not been made yet. */
export const noContainer: ContainerFacts = {
  id: '',
  state: 'waiting',
  reason: 'ContainerCreating',
  message: '',
  startedAt: 0,
  runningSince: 0,
  restarts: 0,
  lastExit: undefined,
};

export function healthyNode(): ModelNode {
  const facts = { exists: true, ready: true, schedulable: true, outOfService: false };
  return { facts, isUp: true, downSince: undefined, isJammed: false };
}

/** A container that waits, for a reason that does not pass by itself. */
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

/** A container that ended with an error and is started again. */
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

/** What the process answers with: after a patch of the image the old one may still be up. */
export function runningVersionOf({ inside }: ModelPod): string {
  return inside.startedImage.split(':v')[1] ?? '';
}

/** Of the few images there are; they are asked about a hundred thousand times in a run of random scripts. */
const versions = new Map<string, EtcdVersion | undefined>();

/** As `runningVersionOf`, read. */
export function startedVersion(pod: ModelPod): EtcdVersion | undefined {
  const image = pod.inside.startedImage;
  if (!versions.has(image)) versions.set(image, parseVersion(runningVersionOf(pod)));
  return versions.get(image);
}
