// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';

export const namespace = 'default';
const exampleName = 'example';

/** The cluster that is there to be played with. A member on a node that is cut off is replaced sooner than usual. */
export function exampleCluster(size: number, version: string): EtcdCluster {
  return {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdCluster',
    metadata: { name: exampleName, namespace },
    spec: { size, version, pod: { replaceAfter: '15s' } },
  };
}
