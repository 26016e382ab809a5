// SPDX-License-Identifier: Apache-2.0
import { clientPort } from '@etcd-operator/etcd';
import { clientServiceName, type EtcdBackup, type EtcdCluster, scopeOf } from '@etcd-operator/operator';
import type { S3Location } from '../command-line.ts';
import { s3Source } from './s3-source.ts';

/** The object to create. A name that is not given is made of the cluster's and the time. */
export function backupOf(
  cluster: EtcdCluster,
  { name, s3 }: { readonly name: string | undefined; readonly s3: S3Location },
  now: number,
): EtcdBackup {
  const { name: clusterName = '', namespace = '' } = cluster.metadata ?? {};
  const operatorSecret = cluster.spec.TLS?.static?.operatorSecret;
  const scheme = operatorSecret ? 'https' : 'http';
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(/\D/g, '');
  return {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdBackup',
    metadata: { name: name ?? `${clusterName}-${time}`, namespace, annotations: scopeOf(cluster) },
    spec: {
      etcdEndpoints: [`${scheme}://${clientServiceName(clusterName)}.${namespace}.svc:${clientPort}`],
      storageType: 'S3',
      s3: s3Source(s3),
      ...(operatorSecret && { clientTLSSecret: operatorSecret }),
      ...(cluster.spec.auth && { auth: cluster.spec.auth }),
    },
  };
}
