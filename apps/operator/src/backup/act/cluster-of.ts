// SPDX-License-Identifier: Apache-2.0
import { type Client, isKubeError } from '@operator-parts/kube';
import { type EtcdCluster, etcdClusters } from '../../api/etcd-cluster.ts';
import type { ManifestCluster } from '../../storage/manifest.ts';

/** The EtcdCluster of a namespace that has this etcd cluster ID; undefined if there is none, or if it may not be read. */
export async function clusterOf(
  client: Client,
  namespace: string,
  clusterId: string,
  signal: AbortSignal,
): Promise<ManifestCluster | undefined> {
  try {
    const { items } = await client.resource(etcdClusters.resource).list({ namespace, signal });
    const found = items.find(({ status }) => status?.clusterID === clusterId);
    return found && summary(found);
  } catch (error) {
    // The EtcdCluster is only additional information, so a failed read does not prevent the backup.
    if (isKubeError(error)) return undefined;
    throw error;
  }
}

function summary({ metadata, spec, status }: EtcdCluster): ManifestCluster {
  const storage = spec.pod?.persistentVolumeClaimSpec?.resources?.requests?.['storage'];
  return {
    name: metadata?.name ?? '',
    size: spec.size,
    version: (spec.version ?? status?.currentVersion ?? '').replace(/^v+/, ''),
    ...(storage !== undefined && { storage: String(storage) }),
  };
}
