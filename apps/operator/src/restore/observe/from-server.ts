// SPDX-License-Identifier: Apache-2.0
import { type Client, ignoreNotFound, persistentVolumeClaims, pods } from '@operator-parts/kube';
import { etcdClusters } from '../../api/etcd-cluster.ts';
import { type EtcdRestore, etcdRestores } from '../../api/etcd-restore.ts';
import { labels } from '../../api/names.ts';
import { memberSelector } from '../../cluster/caches.ts';
import { identityOf } from '../../identity/object-identity.ts';
import type { Found } from './observe.ts';
import { clusterNameOf } from './restore-facts.ts';

/**
 * Reads the objects that belong to a restore from the API server, and not from the caches. This is required before a restore ends: an ended
 * restore does not continue, and the caches may show the objects at different times. Undefined if the EtcdRestore was deleted.
 */
export async function foundOnServer(
  restore: EtcdRestore,
  client: Client,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const { namespace, name, uid } = identityOf(restore);
  const current = await ignoreNotFound(client.resource(etcdRestores.resource).get({ namespace, name }, { signal }));
  if (!current || current.metadata?.uid !== uid) return undefined;
  const cluster = clusterNameOf(current.spec);
  // No EtcdCluster can have this name. The API server has not validated it, because the object was stored before the CRD had a schema.
  if (!isObjectName(cluster)) return { restore: current, cluster: undefined, pods: [], volumes: [] };
  const ofCluster = `${labels.cluster}=${cluster}`;
  const [found, members, claims] = await Promise.all([
    ignoreNotFound(client.resource(etcdClusters.resource).get({ namespace, name: cluster }, { signal })),
    client.resource(pods).list({ namespace, labelSelector: ofCluster, signal }),
    client
      .resource(persistentVolumeClaims)
      .list({ namespace, labelSelector: `${memberSelector},${ofCluster}`, signal }),
  ]);
  return { restore: current, cluster: found, pods: members.items, volumes: claims.items };
}

/** True if an EtcdCluster can have this name: it is valid as the name of an object and as the value of a label. */
function isObjectName(name: string): boolean {
  return name.length <= 63 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name);
}
