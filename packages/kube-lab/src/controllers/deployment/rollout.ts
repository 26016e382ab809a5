// SPDX-License-Identifier: Apache-2.0
import type { Deployment, ReplicaSet } from '@operator-parts/kube';

/** The next number of replicas of each ReplicaSet. */
export type Scales = ReadonlyMap<ReplicaSet, number>;

interface Limits {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** One step of a rollout: what to scale now, given the progress of the last step. Pure. */
export function nextScales(deployment: Deployment, newest: ReplicaSet, old: readonly ReplicaSet[]): Scales {
  const limits = limitsOf(deployment);
  const scales = new Map<ReplicaSet, number>();
  if (deployment.spec?.strategy?.type === 'Recreate') {
    for (const set of old) scales.set(set, 0);
    const isClear = old.every(
      (set) => wanted(set) === 0 && (set.status?.replicas ?? 0) === 0 && !set.status?.terminatingReplicas,
    );
    scales.set(newest, isClear ? limits.replicas : wanted(newest));
    return scales;
  }
  const up = scaleUp(limits, newest, old);
  scales.set(newest, up);
  // Old ReplicaSets are scaled down in a later step, when the status shows the new pods.
  if (up > wanted(newest)) return scales;
  for (const [set, replicas] of scaleDown(limits, newest, old)) scales.set(set, replicas);
  return scales;
}

/**
 * The limits of the strategy as numbers of pods. Surge is rounded up, unavailability down, and they are never both 0.
 */
export function limitsOf(deployment: Deployment): Limits {
  const replicas = deployment.spec?.replicas ?? 1;
  const { maxSurge = '25%', maxUnavailable = '25%' } = deployment.spec?.strategy?.rollingUpdate ?? {};
  if (deployment.spec?.strategy?.type === 'Recreate') return { replicas, maxSurge: 0, maxUnavailable: replicas };
  const surge = resolve(maxSurge, replicas, Math.ceil);
  const unavailable = Math.min(resolve(maxUnavailable, replicas, Math.floor), replicas);
  return { replicas, maxSurge: surge, maxUnavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

function resolve(value: number | string, of: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  return value.endsWith('%') ? round((Number.parseFloat(value) / 100) * of) : Number(value);
}

function scaleUp({ replicas, maxSurge }: Limits, newest: ReplicaSet, old: readonly ReplicaSet[]): number {
  if (wanted(newest) >= replicas) return replicas;
  const total = sum([newest, ...old], wanted);
  return Math.min(replicas, wanted(newest) + Math.max(0, replicas + maxSurge - total));
}

/** Removes unhealthy pods first, then healthy ones as long as enough stay available. */
function scaleDown(limits: Limits, newest: ReplicaSet, old: readonly ReplicaSet[]): Scales {
  const least = limits.replicas - limits.maxUnavailable;
  const newUnavailable = wanted(newest) - available(newest);
  let removable = sum([newest, ...old], wanted) - least - newUnavailable;
  const scales = new Map(old.map((set) => [set, wanted(set)]));
  for (const set of oldestFirst(old)) {
    const broken = Math.min(wanted(set) - available(set), Math.max(0, removable));
    scales.set(set, wanted(set) - broken);
    removable -= broken;
  }
  let spare = sum([newest, ...old], available) - least;
  for (const set of oldestFirst(old)) {
    const left = scales.get(set) ?? 0;
    const taken = Math.min(left, Math.max(0, Math.min(spare, removable)));
    scales.set(set, left - taken);
    spare -= taken;
    removable -= taken;
  }
  return scales;
}

/** The desired replicas of a ReplicaSet. */
export function wanted(set: ReplicaSet): number {
  return set.spec?.replicas ?? 1;
}

function available(set: ReplicaSet): number {
  return Math.min(set.status?.availableReplicas ?? 0, wanted(set));
}

/** The sum of a number over ReplicaSets. */
export function sum(sets: readonly ReplicaSet[], value: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + value(set), 0);
}

function oldestFirst(sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const made = (set: ReplicaSet) => Date.parse(set.metadata?.creationTimestamp ?? '');
  return sets.toSorted((left, right) => made(left) - made(right));
}
