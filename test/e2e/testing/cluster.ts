// SPDX-License-Identifier: Apache-2.0
import { attachCluster, type Cluster } from '@etcd-operator/tools/cluster';

/** The cluster of this run. */
export function theCluster(): Promise<Cluster> {
  const name = process.env['ETCD_OPERATOR_E2E_CLUSTER'];
  if (name === undefined) throw new Error('these tests run inside a cluster: start them with "npm run test:e2e"');
  return attachCluster(name);
}
