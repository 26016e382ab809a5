// SPDX-License-Identifier: Apache-2.0
import type { DaemonSet, Node, Pod } from '@operator-parts/kube';
import { hasPodEnded, isPodAvailable, isPodReady } from '../workloads/pod-condition.ts';
import { revisionHash } from '../workloads/revisions.ts';
import { fitness, hashLabel, targetNode } from './daemon-pod.ts';

/** The next steps for a DaemonSet: pods to create, by node, and pods to delete. */
export interface DaemonPlan {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

interface Place {
  readonly node: Node;
  readonly name: string;
  readonly run: boolean;
  readonly stay: boolean;
  readonly pods: readonly Pod[];
}

function placesOf(set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]): readonly Place[] {
  return nodes.map((node) => {
    const name = node.metadata?.name ?? '';
    return { node, name, ...fitness(set, node), pods: pods.filter((pod) => targetNode(pod) === name) };
  });
}

const isGoing = (pod: Pod) => pod.metadata?.deletionTimestamp !== undefined;
const isOld = (set: DaemonSet) => {
  const hash = revisionHash(set);
  return (pod: Pod) => pod.metadata?.labels?.[hashLabel] !== hash;
};

/**
 * One pod on each eligible node, none elsewhere. Pods of an old template are replaced as fast as the strategy allows.
 * Pure.
 */
export function planDaemonSet(set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[], now: number): DaemonPlan {
  const places = placesOf(set, nodes, pods);
  const create: string[] = [];
  const remove: Pod[] = [];
  for (const { name, run, stay, pods: own } of places) {
    const present = own.filter((pod) => !isGoing(pod));
    const ended = present.filter(hasPodEnded);
    const running = present.filter((pod) => !hasPodEnded(pod));
    if (!stay) remove.push(...present);
    else remove.push(...ended, ...surplus(set, running, now));
    if (run && own.length === 0) create.push(name);
  }
  const update = updatePlan(set, places, now);
  return {
    create: [...create, ...update.create],
    remove: [...remove, ...update.remove.filter((pod) => !remove.includes(pod))],
  };
}

/**
 * The pods to delete on a node that runs several: all but the oldest. In an update with surge, the oldest pod of each
 * template stays until the new one is available.
 */
function surplus(set: DaemonSet, running: readonly Pod[], now: number): readonly Pod[] {
  const byAge = running.toSorted(
    (left, right) =>
      Date.parse(left.metadata?.creationTimestamp ?? '') - Date.parse(right.metadata?.creationTimestamp ?? ''),
  );
  if (budgetOf(set, 1).surge === 0) return byAge.slice(1);
  const old = byAge.filter(isOld(set));
  const fresh = byAge.filter((pod) => !old.includes(pod));
  const isReplaced = fresh.some((pod) => isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now));
  return [...(isReplaced ? old : old.slice(1)), ...fresh.slice(1)];
}

/** How many nodes may be without a pod, or have two, during an update. Percentages are rounded up. */
function budgetOf(set: DaemonSet, nodes: number): { readonly unavailable: number; readonly surge: number } {
  const { maxUnavailable = 1, maxSurge = 0 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const amount = (value: number | string) =>
    typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * nodes) / 100);
  const surge = amount(maxSurge);
  const unavailable = amount(maxUnavailable);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

function updatePlan(set: DaemonSet, places: readonly Place[], now: number): DaemonPlan {
  if (set.spec?.updateStrategy?.type === 'OnDelete') return { create: [], remove: [] };
  const wanted = places.filter(({ run }) => run);
  const { surge, unavailable } = budgetOf(set, wanted.length);
  const old = isOld(set);
  const available = (pod: Pod) => !isGoing(pod) && isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
  const outdated = wanted.filter(({ pods }) => pods.some((pod) => old(pod) && !isGoing(pod) && !hasPodEnded(pod)));
  if (surge > 0) {
    const doubled = outdated.filter(({ pods }) => pods.some((pod) => !old(pod))).length;
    const single = outdated.filter(({ pods }) => pods.every(old));
    return { create: single.slice(0, Math.max(0, surge - doubled)).map(({ name }) => name), remove: [] };
  }
  const down = wanted.filter(({ pods }) => !pods.some(available));
  const victims = outdated.flatMap(({ pods }) => pods.filter((pod) => old(pod) && !isGoing(pod)));
  // Deleting a pod that is not available leaves no further node without a pod.
  const free = victims.filter((pod) => !available(pod));
  const serving = victims.filter(available);
  return { create: [], remove: [...free, ...serving.slice(0, Math.max(0, unavailable - down.length))] };
}

/** The status of a set from the nodes and its pods. */
export function daemonStatus(
  set: DaemonSet,
  nodes: readonly Node[],
  pods: readonly Pod[],
  now: number,
): NonNullable<DaemonSet['status']> {
  const places = placesOf(
    set,
    nodes,
    pods.filter((pod) => !isGoing(pod)),
  );
  const wanted = places.filter(({ run }) => run);
  const scheduled = wanted.filter((place) => place.pods.length > 0);
  const withPod = (test: (pod: Pod) => boolean) => scheduled.filter((place) => place.pods.some(test)).length;
  const old = isOld(set);
  const updated = withPod((pod) => !old(pod));
  const available = withPod((pod) => isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now));
  const { collisionCount } = set.status ?? {};
  return {
    currentNumberScheduled: scheduled.length,
    numberMisscheduled: places.filter((place) => !place.run && place.pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: withPod(isPodReady),
    observedGeneration: set.metadata?.generation ?? 0,
    ...(updated ? { updatedNumberScheduled: updated } : {}),
    ...(available ? { numberAvailable: available } : {}),
    ...(wanted.length > available ? { numberUnavailable: wanted.length - available } : {}),
    ...(collisionCount !== undefined ? { collisionCount } : {}),
  };
}
