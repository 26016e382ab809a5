// SPDX-License-Identifier: Apache-2.0
import { isKubeError, keyOf, keyString, nodes, type Pod, parseKey, pods } from '@operator-parts/kube';
import type { ControllerContext, RunningController } from '../controller.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';

/** How long a deleted node may take to return, in milliseconds. */
const quarantine = 40_000;

/** Deletes pods that no kubelet will remove: those bound to a node that has not existed for a while. */
export function startPodCollector(context: ControllerContext): RunningController {
  const { caches, clock, log } = context;
  const orphanedSince = new Map<string, number>();
  const loop = new ReconcileLoop({
    name: 'pod-garbage-collector',
    clock,
    log,
    reconcile: async (key) => {
      const { namespace, name } = parseKey(key);
      const pod = caches.of(pods).get(namespace, name);
      return pod && collect(context, orphanedSince, pod);
    },
  });
  const leave = [
    caches.of(nodes).subscribe(({ type, object }) => {
      if (type !== 'DELETED') return;
      for (const pod of caches.of(pods).list()) {
        if (pod.spec?.nodeName === object.metadata?.name) loop.enqueue(keyString(keyOf(pod)));
      }
    }),
    caches.of(pods).subscribe(({ type, object }) => {
      if (type === 'DELETED') orphanedSince.delete(object.metadata?.uid ?? '');
      else if (object.spec?.nodeName && !caches.of(nodes).get(undefined, object.spec.nodeName)) {
        loop.enqueue(keyString(keyOf(object)));
      }
    }),
  ];
  return {
    close: () => {
      for (const each of leave) each();
      loop.close();
    },
  };
}

async function collect(
  { caches, client, clock, timeFactor }: ControllerContext,
  orphanedSince: Map<string, number>,
  pod: Pod,
): Promise<number | undefined> {
  const { uid = '' } = pod.metadata ?? {};
  if (!pod.spec?.nodeName || caches.of(nodes).get(undefined, pod.spec.nodeName)) {
    orphanedSince.delete(uid);
    return undefined;
  }
  const since = orphanedSince.get(uid) ?? clock.monotonic();
  orphanedSince.set(uid, since);
  const left = since + quarantine / timeFactor - clock.monotonic();
  if (left > 0) return left;
  try {
    await client.resource(pods).delete(keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
  }
  return undefined;
}
