// SPDX-License-Identifier: Apache-2.0
import { type EtcdBackup, etcdBackups } from '@etcd-operator/operator';
import type { Access } from '../access.ts';
import { formatBytes } from '../render/bytes.ts';
import type { Report } from '../render/print.ts';
import { table } from '../render/table.ts';

/** Lists the EtcdBackups of one or all namespaces, of one cluster or of all; the newest last. */
export async function listBackups(
  { client, namespace, signal }: Access,
  asked: { readonly cluster: string | undefined; readonly allNamespaces: boolean },
): Promise<Report> {
  const { items } = await client
    .resource(etcdBackups.resource)
    .list({ ...(!asked.allNamespaces && { namespace }), signal });
  const found = items
    .filter(({ spec }) => asked.cluster === undefined || spec.clusterRef?.name === asked.cluster)
    .map(summary)
    .toSorted((a, b) => (a.lastSuccess < b.lastSuccess ? -1 : 1));
  const headings = [
    'NAMESPACE',
    'NAME',
    'CLUSTER',
    'STORE',
    'LAST SUCCESS',
    'REVISION',
    'SIZE',
    'NEXT',
    'PROVEN',
    'STATE',
    'PATH',
  ];
  const rows = found.map((one) => [
    one.namespace,
    one.name,
    one.cluster,
    one.store,
    one.lastSuccess,
    String(one.revision || ''),
    one.bytes === undefined ? '' : formatBytes(one.bytes),
    one.next,
    one.proven,
    one.state,
    one.path,
  ]);
  return { data: found, lines: () => (rows.length === 0 ? ['There is no EtcdBackup.'] : table(headings, rows)) };
}

function summary({ metadata = {}, spec, status = {} }: EtcdBackup) {
  const succeeded = status.conditions?.find(({ type }) => type === 'Succeeded');
  const running = status.conditions?.some(({ type, status: value }) => type === 'Running' && value === 'True');
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    cluster: spec.clusterRef?.name ?? spec.etcdEndpoints?.join(',') ?? '',
    store: spec.storageType,
    lastSuccess: status.lastSuccessDate ?? '',
    revision: status.etcdRevision ?? 0,
    bytes: status.lastBackup?.bytes,
    next: status.nextScheduleDate ?? '',
    proven: provenBy(status),
    lastProven: status.lastProven ?? undefined,
    state: running ? 'Running' : (succeeded?.reason ?? (status.succeeded ? 'Succeeded' : 'Pending')),
    path: status.lastBackup?.path ?? '',
  };
}

/** The date of the last proven backup; a failed proof of the newest comes first. */
function provenBy({ conditions, lastProven }: NonNullable<EtcdBackup['status']>): string {
  const condition = conditions?.find(({ type }) => type === 'Proven');
  const made = lastProven ? `${lastProven.path} of ${lastProven.backupDate}` : '';
  if (!condition || condition.status === 'True') return made;
  return made ? `${condition.reason}, last ${made}` : (condition.reason ?? '');
}
