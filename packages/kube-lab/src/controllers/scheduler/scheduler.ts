// SPDX-License-Identifier: Apache-2.0
import {
  keyOf,
  keyString,
  namespaces,
  nodes,
  type PersistentVolumeClaim,
  type Pod,
  parseKey,
  persistentVolumeClaims,
  pods,
} from '@operator-parts/kube';
import { timestamp } from '../../node/timestamp.ts';
import type { ControllerContext, RunningController } from '../controller.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';
import { hasPodEnded } from '../workloads/pod-condition.ts';
import { chooseNode } from './choose-node.ts';
import { selectedNodeAnnotation, viewClaims } from './claims.ts';
import type { Snapshot } from './snapshot.ts';

/** Binds pods to nodes. A pod that fits no node is retried whenever something changes that could help. */
export function startScheduler(context: ControllerContext): RunningController {
  const { caches, clock, log } = context;
  const assumed = new Map<string, string>();
  const loop = new ReconcileLoop({
    name: 'scheduler',
    clock,
    log,
    reconcile: (key) => schedule(context, assumed, key),
  });
  const retryPending = () => {
    for (const pod of caches.of(pods).list()) if (isPending(pod)) loop.enqueue(keyString(keyOf(pod)));
  };
  const leave = [
    caches.of(pods).subscribe(({ type, object }) => {
      const ended = type === 'DELETED' || hasPodEnded(object);
      if (ended) assumed.delete(object.metadata?.uid ?? '');
      if (ended && object.spec?.nodeName) retryPending();
      else if (isPending(object)) loop.enqueue(keyString(keyOf(object)));
    }),
    caches.of(nodes).subscribe(retryPending),
    caches.of(persistentVolumeClaims).subscribe(retryPending),
  ];
  return {
    close: () => {
      for (const each of leave) each();
      loop.close();
    },
  };
}

/** @param assumed recently bound pods that the caches may not show yet: UID -> node */
async function schedule(context: ControllerContext, assumed: Map<string, string>, key: string): Promise<undefined> {
  const { namespace, name } = parseKey(key);
  const pod = context.caches.of(pods).get(namespace, name);
  const uid = pod?.metadata?.uid ?? '';
  if (!pod || !isPending(pod) || assumed.has(uid)) return;
  if (pod.spec?.schedulingGates?.length) return;
  const claims = viewClaims(context.caches, pod);
  if (claims.problem) return refuse(context, pod, claims.problem);
  const placement = chooseNode(pod, snapshotOf(context, assumed), claims.filters);
  if (placement.kind === 'none') return refuse(context, pod, placement.message);
  if (claims.waiting.length > 0) {
    for (const claim of claims.waiting) await selectNode(context, claim, placement.node);
    return;
  }
  assumed.set(uid, placement.node);
  try {
    await bind(context, pod, placement.node);
  } catch (error) {
    assumed.delete(uid);
    throw error;
  }
  const where = `${namespace}/${name}`;
  context.events.event(pod, 'Normal', 'Scheduled', `Successfully assigned ${where} to ${placement.node}`);
}

async function bind({ client }: ControllerContext, pod: Pod, node: string): Promise<void> {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  };
  await client.resource(pods).subresource('binding').create({ namespace, name }, binding);
}

/** Reports in the pod's status and in an event why it stays Pending, if the reason is new. */
async function refuse({ client, events, clock }: ControllerContext, pod: Pod, message: string): Promise<undefined> {
  const conditions = pod.status?.conditions ?? [];
  const known = conditions.find(({ type }) => type === 'PodScheduled');
  if (known?.status === 'False' && known.message === message) return;
  events.event(pod, 'Warning', 'FailedScheduling', message);
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastProbeTime: null,
    lastTransitionTime: known?.status === 'False' ? (known.lastTransitionTime ?? null) : timestamp(clock.now()),
  };
  const others = conditions.filter(({ type }) => type !== 'PodScheduled');
  const status = { ...pod.status, conditions: [...others, condition] };
  await client.resource(pods).status.replace(keyOf(pod), { ...pod, status });
}

async function selectNode({ client }: ControllerContext, claim: PersistentVolumeClaim, node: string): Promise<void> {
  if (claim.metadata?.annotations?.[selectedNodeAnnotation] === node) return;
  const patch = { metadata: { annotations: { [selectedNodeAnnotation]: node } } };
  await client.resource(persistentVolumeClaims).patch(keyOf(claim), { type: 'merge', patch });
}

function snapshotOf({ caches }: ControllerContext, assumed: ReadonlyMap<string, string>): Snapshot {
  const placed = caches
    .of(pods)
    .list()
    .filter((pod) => !hasPodEnded(pod))
    .flatMap((pod): Pod[] => {
      if (pod.spec?.nodeName) return [pod];
      const node = assumed.get(pod.metadata?.uid ?? '');
      return node && pod.spec ? [{ ...pod, spec: { ...pod.spec, nodeName: node } }] : [];
    });
  return { nodes: caches.of(nodes).list(), placed, namespaces: caches.of(namespaces).list() };
}

function isPending(pod: Pod): boolean {
  const isOurs = (pod.spec?.schedulerName ?? 'default-scheduler') === 'default-scheduler';
  return isOurs && !pod.spec?.nodeName && !pod.metadata?.deletionTimestamp && !hasPodEnded(pod);
}
