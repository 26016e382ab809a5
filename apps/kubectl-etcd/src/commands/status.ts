// SPDX-License-Identifier: Apache-2.0

import type { EtcdCluster } from '@etcd-operator/operator';
import { type Event, events } from '@operator-parts/kube';
import { type Access, findCluster } from '../access.ts';
import { ifAllowed } from '../if-allowed.ts';
import { memberPods } from '../member-pods.ts';
import type { Report } from '../render/print.ts';
import { statusReport } from '../render/status.ts';
import { runningOperators } from '../running-operators.ts';
import { byTime } from './events.ts';

/**
 * Reads only the status that the operator reported: works for every user who may read the cluster, also while etcd is
 * down.
 */
export async function status(access: Access, name: string | undefined): Promise<Report> {
  const cluster = await findCluster(access, name);
  const found = cluster.metadata?.name ?? '';
  const [pods, recent, operators] = await Promise.all([
    memberPods(access, found),
    eventsOf(access, cluster),
    runningOperators(access),
  ]);
  const ofClusters = operators.filter(({ program }) => program === 'etcd-operator');
  return statusReport({ cluster, pods, events: recent, operators: ofClusters });
}

/** Only of this object: events of a deleted one with the same name remain for an hour. */
async function eventsOf({ client, namespace, signal }: Access, { metadata }: EtcdCluster): Promise<readonly Event[]> {
  const fieldSelector = `involvedObject.kind=EtcdCluster,involvedObject.name=${metadata?.name},involvedObject.uid=${metadata?.uid}`;
  const { items } = await ifAllowed(client.resource(events).list({ namespace, fieldSelector, signal }));
  return items.toSorted(byTime);
}
