// SPDX-License-Identifier: Apache-2.0
import { type Event, events, isKubeError, type Pod, pods } from '@etcd-operator/kube';
import { clusterLabels } from '@etcd-operator/operator';
import { type Access, findCluster } from '../access.ts';
import type { Report } from '../render/print.ts';
import { statusReport } from '../render/status.ts';

/** Reads only what the operator has reported: works for whoever may read the cluster, also while etcd is down. */
export async function status(access: Access, name: string | undefined): Promise<Report> {
  const cluster = await findCluster(access, name);
  const found = cluster.metadata?.name ?? '';
  const [memberPods, recent] = await Promise.all([podsOf(access, found), eventsOf(access, found)]);
  return statusReport({ cluster, pods: memberPods, events: recent });
}

async function podsOf({ client, namespace, signal }: Access, cluster: string): Promise<readonly Pod[]> {
  const labelSelector = Object.entries(clusterLabels(cluster))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const { items } = await ifAllowed(client.resource(pods).list({ namespace, labelSelector, signal }));
  return items;
}

async function eventsOf({ client, namespace, signal }: Access, cluster: string): Promise<readonly Event[]> {
  const fieldSelector = `involvedObject.kind=EtcdCluster,involvedObject.name=${cluster}`;
  const { items } = await ifAllowed(client.resource(events).list({ namespace, fieldSelector, signal }));
  return [...items].sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
}

function timeOf({ lastTimestamp, eventTime, metadata }: Event): string {
  return lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? '';
}

/** Whoever may see the cluster but not its pods or events sees the rest. */
async function ifAllowed<T>(
  read: Promise<{ readonly items: readonly T[] }>,
): Promise<{ readonly items: readonly T[] }> {
  try {
    return await read;
  } catch (error) {
    if (isKubeError(error, 'Forbidden')) return { items: [] };
    throw error;
  }
}
