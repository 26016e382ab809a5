// SPDX-License-Identifier: Apache-2.0
import type { Lease, Node, NodeCondition, Taint } from '@operator-parts/kube';
import { timestamp } from '../../node/timestamp.ts';

/** A node without a heartbeat for this long, in milliseconds, is unreachable. */
export const monitorGracePeriod = 40_000;

const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';
const unschedulable = 'node.kubernetes.io/unschedulable';
const owned = [notReady, unreachable, unschedulable];
const heartbeatConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The time of the last heartbeat of a node: its Lease or its status. */
export function lastHeard(node: Node, lease: Lease | undefined): number {
  const renewed = Date.parse(lease?.spec?.renewTime ?? '') || 0;
  const beats = (node.status?.conditions ?? []).map(
    ({ lastHeartbeatTime }) => Date.parse(lastHeartbeatTime ?? '') || 0,
  );
  return Math.max(renewed, Date.parse(node.metadata?.creationTimestamp ?? '') || 0, ...beats);
}

/** The conditions of a node without a heartbeat; undefined if they are set already. */
export function unknownConditions(node: Node, now: number): readonly NodeCondition[] | undefined {
  const before = node.status?.conditions ?? [];
  if (heartbeatConditions.every((type) => before.find((each) => each.type === type)?.status === 'Unknown'))
    return undefined;
  const others = before.filter(({ type }) => !heartbeatConditions.includes(type));
  const unknown = heartbeatConditions.map((type): NodeCondition => {
    const old = before.find((each) => each.type === type);
    return {
      type,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastHeartbeatTime: old?.lastHeartbeatTime ?? null,
      lastTransitionTime: old?.status === 'Unknown' ? (old.lastTransitionTime ?? null) : timestamp(now),
    };
  });
  return [...others, ...unknown];
}

/** The taints that the conditions of a node require; other taints are kept. */
export function wantedTaints(node: Node, now: number): readonly Taint[] {
  const present = node.spec?.taints ?? [];
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const key = ready === 'True' ? undefined : ready === 'Unknown' ? unreachable : notReady;
  const wanted: Taint[] = [
    ...(node.spec?.unschedulable ? [{ key: unschedulable, effect: 'NoSchedule' } as const] : []),
    ...(key ? [{ key, effect: 'NoSchedule' } as const, { key, effect: 'NoExecute' } as const] : []),
  ].map((taint) => {
    const old = present.find((each) => each.key === taint.key && each.effect === taint.effect);
    return old ?? { ...taint, timeAdded: timestamp(now) };
  });
  return [...present.filter((taint) => !owned.includes(taint.key)), ...wanted];
}
