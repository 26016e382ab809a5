// SPDX-License-Identifier: Apache-2.0
import { type EtcdBackup, type EtcdCluster, scopeOf } from '@etcd-operator/operator';
import type { Command } from '../command-line.ts';
import { sourceOf } from '../store-location.ts';

export type CreateBackup = Extract<Command, { kind: 'backup'; action: 'create' }>;

/** The object to create. Without a name, it is built from the cluster's name and the time. */
export function backupOf(
  cluster: EtcdCluster,
  { name, store, addTime, ownerJob }: Pick<CreateBackup, 'name' | 'store' | 'addTime' | 'ownerJob'>,
  now: number,
): EtcdBackup {
  const { name: clusterName = '', namespace = '' } = cluster.metadata ?? {};
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(/\D/g, '');
  return {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdBackup',
    metadata: {
      name: name ?? `${clusterName}-${time}`,
      namespace,
      annotations: scopeOf(cluster),
      ...(ownerJob && { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', ...ownerJob }] }),
    },
    spec: {
      clusterRef: { name: clusterName },
      storageType: store.type,
      ...sourceOf(addTime ? { ...store, path: `${store.path}_${time}` } : store),
    },
  };
}
