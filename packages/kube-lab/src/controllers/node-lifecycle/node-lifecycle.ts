// SPDX-License-Identifier: Apache-2.0
import {
  jsonEqual,
  keyOf,
  leases,
  type Node,
  nodes,
  type Pod,
  type PodCondition,
  pods,
  type Taint,
} from '@operator-parts/kube';
import { timestamp } from '../../node/timestamp.ts';
import type { ControllerContext, RunningController } from '../controller.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';
import { covers } from '../scheduler/taints.ts';
import { deletePod } from '../workloads/owned-pods.ts';
import { hasPodEnded } from '../workloads/pod-condition.ts';
import { lastHeard, monitorGracePeriod, unknownConditions, wantedTaints } from './node-health.ts';

/** Detects nodes without a heartbeat, taints them, and evicts their pods when their tolerations expire. */
export function startNodeLifecycle(context: ControllerContext): RunningController {
  const { caches, clock, log } = context;
  const loop = new ReconcileLoop({
    name: 'node-lifecycle',
    clock,
    log,
    reconcile: async (name) => {
      const node = caches.of(nodes).get(undefined, name);
      return node && reconcile(context, node);
    },
  });
  const leave = [
    caches.of(nodes).subscribe(({ object }) => loop.enqueue(keyOf(object).name)),
    caches.of(leases).subscribe(({ object }) => {
      if (object.metadata?.namespace === 'kube-node-lease') loop.enqueue(keyOf(object).name);
    }),
    caches.of(pods).subscribe(({ type, object }) => {
      if (type !== 'DELETED' && object.spec?.nodeName) loop.enqueue(object.spec.nodeName);
    }),
  ];
  return {
    close: () => {
      for (const each of leave) each();
      loop.close();
    },
  };
}

async function reconcile(context: ControllerContext, node: Node): Promise<number | undefined> {
  const { caches, client, clock } = context;
  const now = clock.now();
  const lease = caches.of(leases).get('kube-node-lease', node.metadata?.name ?? '');
  const unknownAt = lastHeard(node, lease) + monitorGracePeriod / context.timeFactor;
  const conditions = now >= unknownAt ? unknownConditions(node, now) : undefined;
  if (conditions) {
    await client.resource(nodes).status.replace(keyOf(node), { ...node, status: { ...node.status, conditions } });
    context.events.event(node, 'Normal', 'NodeNotReady', `Node ${node.metadata?.name} status is now: NodeNotReady`);
    return 0;
  }
  const taints = wantedTaints(node, now);
  if (!jsonEqual(taints, node.spec?.taints ?? [])) {
    await client.resource(nodes).replace({ ...node, spec: { ...node.spec, taints } });
    return 0;
  }
  const waits = [unknownAt - now, ...(await tendPods(context, node, taints))];
  const next = Math.min(...waits.filter((wait) => wait > 0));
  return Number.isFinite(next) ? next : undefined;
}

/**
 * Marks the pods of an unreachable node as not ready. Evicts pods that do not tolerate the node's taints, or no longer
 * do.
 */
async function tendPods(context: ControllerContext, node: Node, taints: readonly Taint[]): Promise<readonly number[]> {
  const own = context.caches
    .of(pods)
    .list()
    .filter((pod) => pod.spec?.nodeName === node.metadata?.name && !hasPodEnded(pod));
  const isUnknown = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'Unknown');
  const waits: number[] = [];
  for (const pod of own) {
    if (isUnknown) await markNotReady(context, pod);
    if (pod.metadata?.deletionTimestamp) continue;
    const evictAt = evictionTime(pod, taints, context.timeFactor);
    if (evictAt === undefined) continue;
    const wait = evictAt - context.clock.now();
    if (wait > 0) waits.push(wait);
    else await evict(context, pod);
  }
  return waits;
}

/**
 * When a pod must be evicted: at once for a taint it does not tolerate, later for one it tolerates for a limited time.
 */
function evictionTime(pod: Pod, taints: readonly Taint[], timeFactor: number): number | undefined {
  const times = taints
    .filter(({ effect }) => effect === 'NoExecute')
    .flatMap((taint) => {
      const added = Date.parse(taint.timeAdded ?? '') || 0;
      const matching = (pod.spec?.tolerations ?? []).filter((toleration) => covers(toleration, taint));
      if (matching.length === 0) return [0];
      const seconds = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
      return seconds.length > 0 ? [added + (Math.max(0, Math.min(...seconds)) * 1000) / timeFactor] : [];
    });
  return times.length > 0 ? Math.min(...times) : undefined;
}

async function evict(context: ControllerContext, pod: Pod): Promise<void> {
  await setCondition(context, pod, {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
  });
  context.events.event(
    pod,
    'Normal',
    'TaintManagerEviction',
    `Marking for deletion Pod ${pod.metadata?.namespace}/${pod.metadata?.name}`,
  );
  await deletePod(context, pod);
}

async function markNotReady(context: ControllerContext, pod: Pod): Promise<void> {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return;
  await setCondition(context, pod, { ...ready, status: 'False' });
  context.events.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
}

async function setCondition({ client, clock }: ControllerContext, pod: Pod, wanted: PodCondition): Promise<void> {
  const before = pod.status?.conditions ?? [];
  const condition = { ...wanted, lastProbeTime: null, lastTransitionTime: timestamp(clock.now()) };
  const others = before.filter(({ type }) => type !== wanted.type);
  const status = { ...pod.status, conditions: [...others, condition] };
  await client.resource(pods).status.replace(keyOf(pod), { ...pod, status });
}
