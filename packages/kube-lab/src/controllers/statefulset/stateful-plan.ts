// SPDX-License-Identifier: Apache-2.0
import type { Pod, StatefulSet } from '@operator-parts/kube';
import { hasPodEnded, isPodAvailable } from '../workloads/pod-condition.ts';

/** The label with the template revision of a pod. */
export const revisionLabel = 'controller-revision-hash';

/** One step for a StatefulSet. */
export type StatefulAction =
  | { readonly type: 'create'; readonly ordinal: number; readonly revision: string }
  | { readonly type: 'delete'; readonly pod: Pod };

interface Revisions {
  readonly current: string;
  readonly update: string;
}

/**
 * The next step. With `OrderedReady`, one pod at a time: create from the lowest ordinal, each when the previous one is
 * available; delete from the highest; then replace pods of an older template, from the highest down to the partition.
 * With `Parallel`, all pods are created and deleted at once. Pure.
 */
export function planStatefulSet(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: Revisions,
  now: number,
): readonly StatefulAction[] {
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  const isHealthy = (pod: Pod) =>
    !pod.metadata?.deletionTimestamp && isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
  const missing = planMissing(set, byOrdinal, revisions, isHealthy);
  if (missing.blocks) return missing.actions;
  const surplus = planSurplus(set, byOrdinal);
  if (missing.actions.length > 0 || surplus) return [...missing.actions, ...(surplus ?? [])];
  return planUpdate(set, byOrdinal, revisions, isHealthy);
}

type IsHealthy = (pod: Pod) => boolean;

function rangeOf(set: StatefulSet): { readonly start: number; readonly end: number } {
  const start = set.spec?.ordinals?.start ?? 0;
  return { start, end: start + (set.spec?.replicas ?? 1) };
}

/** Pods to create, and ended ones to replace. In ordered mode, an unhealthy pod blocks all pods after it. */
function planMissing(
  set: StatefulSet,
  byOrdinal: ReadonlyMap<number, Pod>,
  revisions: Revisions,
  isHealthy: IsHealthy,
): { readonly actions: readonly StatefulAction[]; readonly blocks: boolean } {
  const isOrdered = set.spec?.podManagementPolicy !== 'Parallel';
  const { start, end } = rangeOf(set);
  const actions: StatefulAction[] = [];
  for (let ordinal = start; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (!pod) actions.push({ type: 'create', ordinal, revision: revisionFor(set, ordinal, revisions) });
    else if (hasPodEnded(pod) && !pod.metadata?.deletionTimestamp) actions.push({ type: 'delete', pod });
    if (isOrdered && !(pod && isHealthy(pod))) return { actions, blocks: true };
  }
  return { actions, blocks: false };
}

/** Surplus pods, from the highest ordinal; undefined if there are none. */
function planSurplus(set: StatefulSet, byOrdinal: ReadonlyMap<number, Pod>): readonly StatefulAction[] | undefined {
  const { start, end } = rangeOf(set);
  const condemned = [...byOrdinal]
    .filter(([ordinal]) => ordinal < start || ordinal >= end)
    .toSorted(([left], [right]) => right - left)
    .map(([, pod]) => pod);
  if (condemned.length === 0) return undefined;
  const next = set.spec?.podManagementPolicy === 'Parallel' ? condemned : condemned.slice(0, 1);
  return next.filter((pod) => !pod.metadata?.deletionTimestamp).map((pod) => ({ type: 'delete', pod }));
}

/**
 * Replaces pods of an older template from the highest ordinal down, each only when all pods with higher ordinals are
 * healthy.
 */
function planUpdate(
  set: StatefulSet,
  byOrdinal: ReadonlyMap<number, Pod>,
  { update }: Revisions,
  isHealthy: IsHealthy,
): readonly StatefulAction[] {
  if (set.spec?.updateStrategy?.type === 'OnDelete') return [];
  const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  const descending = [...byOrdinal]
    .filter(([ordinal]) => ordinal >= partition)
    .toSorted(([left], [right]) => right - left);
  for (const [, pod] of descending) {
    if (pod.metadata?.labels?.[revisionLabel] !== update) {
      return pod.metadata?.deletionTimestamp ? [] : [{ type: 'delete', pod }];
    }
    if (!isHealthy(pod)) return [];
  }
  return [];
}

/**
 * A new pod below the partition gets the current revision; any other new pod gets the update revision, also with
 * `OnDelete`.
 */
function revisionFor(set: StatefulSet, ordinal: number, { current, update }: Revisions): string {
  const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  return set.spec?.updateStrategy?.type !== 'OnDelete' && ordinal < partition ? current : update;
}

/** The ordinal of a pod. -1 if it does not belong to the set. */
export function ordinalOf(set: StatefulSet, pod: Pod): number {
  const prefix = `${set.metadata?.name}-`;
  const name = pod.metadata?.name ?? '';
  return name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)) ? Number(name.slice(prefix.length)) : -1;
}
