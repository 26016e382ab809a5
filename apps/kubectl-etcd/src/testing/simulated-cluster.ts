// SPDX-License-Identifier: Apache-2.0
import { type EtcdCluster, type EtcdClusterSpec, type Observation, planCluster } from '@etcd-operator/operator';
import { newClusterObservation } from '../plan/new-cluster-observation.ts';
import { simulateStep } from '../plan/simulate-step.ts';

export const noon = Date.parse('2026-01-01T12:00:00Z');

export function clusterOf(spec: EtcdClusterSpec): EtcdCluster {
  return {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdCluster',
    metadata: { name: 'example', namespace: 'default', uid: 'u-1', generation: 1 },
    spec,
  };
}

/** Only the object itself. */
export function newCluster(spec: EtcdClusterSpec): Observation {
  return newClusterObservation(clusterOf(spec));
}

/** A complete cluster, as the operator would have created it. */
export function restingCluster(spec: EtcdClusterSpec): Observation {
  let world = newCluster(spec);
  for (let round = 0, time = noon - 3_600_000; round < 200; round++, time += 1_000) {
    const { steps, waits } = planCluster(world, time);
    if (steps.length === 0 && waits.length === 0) return world;
    for (const { step } of steps) world = simulateStep(world, step, time);
  }
  throw new Error('the cluster does not come to rest');
}

/** The same cluster with a changed spec; image and version of its pods are unchanged. */
export function withSpec(world: Observation, spec: EtcdClusterSpec): Observation {
  const { desired, paused } = newCluster(spec).cluster;
  const etcd = { ...world.etcd, clusterVersion: oldestMinor(world) };
  return { ...world, cluster: { ...world.cluster, desired, paused, generation: 2 }, etcd };
}

function oldestMinor({ pods }: Observation): string {
  const minors = pods.map(({ version }) => Number(version.split('.')[1]));
  return minors.length === 0 ? '' : `3.${Math.min(...minors)}.0`;
}
