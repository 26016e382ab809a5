// SPDX-License-Identifier: Apache-2.0
import { isKubeError, nodes, pods } from '@operator-parts/kube';
import type { Simulation } from './simulation.ts';

/** How often `kubectl drain` tries again, in milliseconds. */
const evictEvery = 5_000;

/** A node is cordoned, and its pods are evicted as far as budgets let them, until somebody ends it. */
export function drain(simulation: Simulation, node: string, lasts: number): void {
  const { clock, world } = simulation;
  const until = clock.monotonic() + lasts;
  cordon(simulation, node, true);
  const evictAll = () => {
    if (clock.monotonic() >= until || !world.cordoned.has(node)) {
      cordon(simulation, node, false);
      return;
    }
    for (const { metadata, spec } of world.stored.values())
      if (spec?.nodeName === node) simulation.work(evict(simulation, metadata?.namespace, metadata?.name));
    clock.schedule(evictEvery, evictAll);
  };
  evictAll();
}

/** People are done with their nodes. */
export function endDrains(simulation: Simulation): void {
  for (const node of simulation.world.cordoned) cordon(simulation, node, false);
}

function cordon(simulation: Simulation, name: string, unschedulable: boolean): void {
  const { world } = simulation;
  if (unschedulable) world.cordoned.add(name);
  else world.cordoned.delete(name);
  const patch = { spec: { unschedulable: unschedulable || null } };
  simulation.work(world.client.resource(nodes).patch({ name }, { type: 'merge', patch }));
}

async function evict({ world }: Simulation, namespace = '', name = ''): Promise<void> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } };
  try {
    await world.client.resource(pods).subresource('eviction').create({ namespace, name }, body);
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict', 'TooManyRequests')) throw error;
  }
}
