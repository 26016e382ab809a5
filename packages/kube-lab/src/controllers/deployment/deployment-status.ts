// SPDX-License-Identifier: Apache-2.0
import type { Deployment, ReplicaSet } from '@operator-parts/kube';
import { timestamp } from '../../node/timestamp.ts';
import { limitsOf, sum } from './rollout.ts';

type Status = NonNullable<Deployment['status']>;
type Condition = NonNullable<Status['conditions']>[number];

/** The status of a Deployment from its ReplicaSets. */
export function deploymentStatus(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  now: number,
): Status {
  const { replicas, maxUnavailable } = limitsOf(deployment);
  const total = sum(all, (set) => set.status?.replicas ?? 0);
  const available = sum(all, (set) => set.status?.availableReplicas ?? 0);
  const ready = sum(all, (set) => set.status?.readyReplicas ?? 0);
  const updated = newest?.status?.replicas ?? 0;
  const terminating = sum(all, (set) => set.status?.terminatingReplicas ?? 0);
  const { collisionCount } = deployment.status ?? {};
  const isEnough = available >= replicas - maxUnavailable;
  const conditions = [
    condition(deployment, now, 'Available', isEnough, {
      reason: isEnough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      message: `Deployment ${isEnough ? 'has' : 'does not have'} minimum availability.`,
    }),
    progress(deployment, newest, { total, updated, available, replicas }, now),
  ];
  return {
    observedGeneration: deployment.metadata?.generation ?? 0,
    ...(total ? { replicas: total } : {}),
    ...(updated ? { updatedReplicas: updated } : {}),
    ...(ready ? { readyReplicas: ready } : {}),
    ...(available ? { availableReplicas: available } : {}),
    ...(replicas > available ? { unavailableReplicas: Math.max(total, replicas) - available } : {}),
    ...(terminating ? { terminatingReplicas: terminating } : {}),
    ...(collisionCount !== undefined ? { collisionCount } : {}),
    conditions,
  };
}

/** True if every replica has the newest template and is available, and no other pod is left. */
function isComplete(counts: Counts): boolean {
  const { total, updated, available, replicas } = counts;
  return updated === replicas && total === replicas && available === replicas;
}

interface Counts {
  readonly total: number;
  readonly updated: number;
  readonly available: number;
  readonly replicas: number;
}

function progress(deployment: Deployment, newest: ReplicaSet | undefined, counts: Counts, now: number): Condition {
  const name = newest?.metadata?.name;
  const old = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
  if (isComplete(counts)) {
    const message = `ReplicaSet "${name}" has successfully progressed.`;
    return condition(deployment, now, 'Progressing', true, { reason: 'NewReplicaSetAvailable', message });
  }
  const before = deployment.status ?? {};
  const moved =
    counts.updated !== (before.updatedReplicas ?? 0) ||
    counts.available !== (before.availableReplicas ?? 0) ||
    counts.total !== (before.replicas ?? 0) ||
    old?.reason === 'NewReplicaSetAvailable' ||
    !old;
  const limit = (deployment.spec?.progressDeadlineSeconds ?? 600) * 1000;
  const since = Date.parse(old?.lastUpdateTime ?? '') || now;
  if (!moved && now - since > limit) {
    const message = `ReplicaSet "${name}" has timed out progressing.`;
    return condition(deployment, now, 'Progressing', false, { reason: 'ProgressDeadlineExceeded', message });
  }
  if (!moved && old) return old;
  const message = `ReplicaSet "${name}" is progressing.`;
  const made = condition(deployment, now, 'Progressing', true, { reason: 'ReplicaSetUpdated', message });
  return { ...made, lastUpdateTime: timestamp(now) };
}

function condition(
  deployment: Deployment,
  now: number,
  type: string,
  holds: boolean,
  words: { readonly reason: string; readonly message: string },
): Condition {
  const status = holds ? 'True' : 'False';
  const old = deployment.status?.conditions?.find((each) => each.type === type);
  const isSame = old?.status === status && old.reason === words.reason && old.message === words.message;
  if (isSame) return old;
  const since = old?.status === status ? old.lastTransitionTime : undefined;
  return { type, status, lastUpdateTime: timestamp(now), lastTransitionTime: since ?? timestamp(now), ...words };
}
