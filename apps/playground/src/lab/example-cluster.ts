// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';

export const namespace = 'default';
const exampleName = 'example';

/** The example cluster. A member on a disconnected node is replaced sooner than by default. */
export function exampleCluster(size: number, version: string): EtcdCluster {
  return {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdCluster',
    metadata: { name: exampleName, namespace },
    spec: { size, version, pod: { replaceAfter: '15s' } },
  };
}
