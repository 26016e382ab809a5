// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';
import type { Access } from '../access.ts';
import { findClusters } from '../find-clusters.ts';
import type { Report } from '../render/print.ts';
import { table } from '../render/table.ts';

/** Lists the clusters of one or all namespaces, one per line. */
export async function list(access: Access, asked: { readonly allNamespaces: boolean }): Promise<Report> {
  const clusters = (await findClusters(access, asked)).map(summary);
  const headings = ['NAMESPACE', 'NAME', 'READY', 'VERSION', 'PHASE', 'AVAILABLE', 'STATE'];
  const rows = clusters.map((one) => [
    one.namespace,
    one.name,
    `${one.ready}/${one.size}`,
    one.version,
    one.phase,
    one.available,
    one.state,
  ]);
  return { data: clusters, lines: () => (rows.length === 0 ? ['There is no EtcdCluster.'] : table(headings, rows)) };
}

function summary({ metadata = {}, spec, status = {} }: EtcdCluster) {
  const { conditions = [] } = status;
  const find = (type: string) => conditions?.find((condition) => condition.type === type);
  const state = find('Stalled') ?? find('Reconciling') ?? find('Ready');
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    ready: status.readySize ?? 0,
    size: spec.size,
    version: status.currentVersion ?? '',
    phase: status.phase ?? '',
    available: find('Available')?.status ?? 'Unknown',
    state: state
      ? `${state.type === 'Ready' && state.status !== 'True' ? 'NotReady' : state.type}: ${state.reason}`
      : '',
  };
}
