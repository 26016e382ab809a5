// SPDX-License-Identifier: Apache-2.0

import { counted, type EtcdCluster, etcdBackups, etcdRestores } from '@etcd-operator/operator';
import { isKubeError } from '@operator-parts/kube';
import type { Access } from '../access.ts';
import { clusterFindings } from '../doctor/cluster-findings.ts';
import { type Finding, mostUrgentFirst } from '../doctor/finding.ts';
import { etcdFindings, operatorFindings } from '../doctor/live-findings.ts';
import { orderFindings } from '../doctor/order-findings.ts';
import { podFindings } from '../doctor/pod-findings.ts';
import { findClusters } from '../find-clusters.ts';
import { ifAllowed } from '../if-allowed.ts';
import { memberPods } from '../member-pods.ts';
import { ObservedCluster } from '../observed-cluster.ts';
import { doctorReport } from '../render/doctor.ts';
import type { Report } from '../render/print.ts';
import { runningOperators } from '../running-operators.ts';

/** The problems of one cluster, or of all clusters in one or all namespaces, from their status and from etcd itself. */
export async function doctor(
  access: Access,
  asked: { readonly cluster: string | undefined; readonly allNamespaces: boolean },
): Promise<Report> {
  const clusters = await findClusters(access, asked);
  const operators = await runningOperators(access);
  const found: Finding[] = [];
  for (const cluster of clusters) {
    const { name = '', namespace = '' } = cluster.metadata ?? {};
    const here = { ...access, namespace };
    found.push(
      ...operatorFindings(operators, namespace, `etcdcluster/${name}`),
      ...clusterFindings(cluster),
      ...(await liveFindings(here, cluster)),
      ...podFindings(await memberPods(here, name)),
      ...(await ordersOf(here, cluster)),
    );
  }
  const findings = mostUrgentFirst(found);
  const urgent = findings.filter(({ urgency }) => urgency === 'now').length;
  return { ...doctorReport(findings, clusters.length), failure: urgent > 0 ? needed(urgent) : undefined };
}

const needed = (urgent: number) => `${counted(urgent, 'finding')} cannot wait`;

async function ordersOf({ client, namespace, clock, signal }: Access, cluster: EtcdCluster) {
  const [backups, restores] = await Promise.all([
    ifAllowed(client.resource(etcdBackups.resource).list({ namespace, signal })),
    ifAllowed(client.resource(etcdRestores.resource).list({ namespace, signal })),
  ]);
  return orderFindings(cluster, backups.items, restores.items, clock.now());
}

/** Users without permission for port-forwards or Secrets still get the other findings. */
async function liveFindings(access: Access, cluster: EtcdCluster): Promise<readonly Finding[]> {
  if (!cluster.status?.clusterID) return [];
  try {
    using reading = await ObservedCluster.read(access, cluster);
    return etcdFindings(reading.observation);
  } catch (error) {
    if (isKubeError(error)) return [];
    throw error;
  }
}
