// SPDX-License-Identifier: Apache-2.0

import { type EtcdCluster, etcdBackups, etcdRestores } from '@etcd-operator/operator';
import {
  compareResourceVersions,
  type Event,
  events as eventKind,
  isOrderedResourceVersion,
} from '@operator-parts/kube';
import { type Access, findCluster } from '../access.ts';
import { ifAllowed } from '../if-allowed.ts';
import { memberPods } from '../member-pods.ts';
import type { Report } from '../render/print.ts';
import { table } from '../render/table.ts';

/** Events of a cluster and of all its objects (pods and volumes of members, backups and restores); oldest first. */
export async function events(access: Access, name: string | undefined): Promise<Report> {
  const cluster = await findCluster(access, name);
  const found = await eventsAround(access, cluster);
  const rows = found.map(({ type = '', reason = '', message = '', involvedObject, count = 1, ...event }) => [
    timeOf(event),
    type,
    `${involvedObject.kind?.toLowerCase()}/${involvedObject.name}`,
    reason,
    count > 1 ? `${count}x` : '',
    message,
  ]);
  const headings = ['TIME', 'TYPE', 'OBJECT', 'REASON', 'COUNT', 'MESSAGE'];
  return { data: found.map(slim), lines: () => (rows.length === 0 ? ['No events.'] : table(headings, rows)) };
}

/** Only of these objects: events of a deleted one with the same name remain for an hour. */
export async function eventsAround(access: Access, cluster: EtcdCluster): Promise<readonly Event[]> {
  const { client, namespace, signal } = access;
  const name = cluster.metadata?.name ?? '';
  const [pods, backups, restores, all] = await Promise.all([
    memberPods(access, name),
    ifAllowed(client.resource(etcdBackups.resource).list({ namespace, signal })),
    ifAllowed(client.resource(etcdRestores.resource).list({ namespace, signal })),
    ifAllowed(client.resource(eventKind).list({ namespace, signal })),
  ]);
  const own = [
    ...backups.items.filter(({ spec }) => spec.clusterRef?.name === name),
    ...restores.items.filter(({ spec }) => spec.etcdCluster?.name === name),
  ];
  const uids = new Set([cluster, ...pods, ...own].map(({ metadata }) => metadata?.uid));
  const names = new Set(pods.map(({ metadata }) => metadata?.name));
  const isOwn = ({ involvedObject: { kind, uid, name: of } }: Event) =>
    (uid !== undefined && uids.has(uid)) || (kind === 'PersistentVolumeClaim' && names.has(of));
  return all.items.filter(isOwn).toSorted(byTime);
}

/** Times are whole seconds; within one, the API server's order is used. */
export function byTime(a: Event, b: Event): number {
  if (timeOf(a) !== timeOf(b)) return timeOf(a) < timeOf(b) ? -1 : 1;
  const [first, second] = [a.metadata?.resourceVersion, b.metadata?.resourceVersion];
  return isOrderedResourceVersion(first) && isOrderedResourceVersion(second)
    ? compareResourceVersions(first, second)
    : 0;
}

function timeOf({ lastTimestamp, eventTime, metadata }: Omit<Event, 'involvedObject'>): string {
  return lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? '';
}

function slim({ type, reason, message, count, involvedObject, ...event }: Event) {
  const { kind, name } = involvedObject;
  return { time: timeOf(event), type, object: { kind, name }, reason, message, count };
}
