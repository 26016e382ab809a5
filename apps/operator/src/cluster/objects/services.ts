// SPDX-License-Identifier: Apache-2.0
import { clientPort, peerPort } from '@operator-parts/etcd';
import type { Service } from '@operator-parts/kube';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { clientServiceName, clusterLabels, peerServiceName } from '../../api/names.ts';
import { type ClusterIdentity, ownerOf } from './owner.ts';
import { originNote } from './user-metadata.ts';

const client = { name: 'client', port: clientPort, targetPort: clientPort, protocol: 'TCP' } as const;
const peer = { name: 'peer', port: peerPort, targetPort: peerPort, protocol: 'TCP' } as const;

/**
 * The headless Service that gives members their DNS names. Names resolve before a member is ready, because a member becomes ready only
 * after the other members have found it by its name.
 */
export function peerService(cluster: ClusterIdentity): Service {
  return {
    ...head(cluster, peerServiceName(cluster.name), {}),
    spec: {
      clusterIP: 'None',
      ports: [client, peer],
      publishNotReadyAddresses: true,
      selector: clusterLabels(cluster.name),
      type: 'ClusterIP',
    },
  };
}

/** The Service for clients. Only ready members are its endpoints. */
export function clientService(cluster: ClusterIdentity, asked: EtcdClusterSpec['service'] = {}): Service {
  const { annotations = {}, type = 'ClusterIP', ipFamilyPolicy, ipFamilies = [] } = asked;
  return {
    ...head(cluster, clientServiceName(cluster.name), { ...annotations, ...originNote({ annotations }) }),
    spec: {
      ports: [client],
      publishNotReadyAddresses: false,
      selector: clusterLabels(cluster.name),
      type,
      ...(ipFamilyPolicy && { ipFamilyPolicy }),
      ...(ipFamilies.length > 0 && { ipFamilies }),
      ...(type === 'LoadBalancer' && loadBalancer(asked)),
    },
  };
}

/** The source ranges are always set, so that ranges removed from the spec are also removed from the Service. */
function loadBalancer({ loadBalancerClass, loadBalancerSourceRanges = [] }: NonNullable<EtcdClusterSpec['service']>) {
  return { ...(loadBalancerClass && { loadBalancerClass }), loadBalancerSourceRanges };
}

function head(cluster: ClusterIdentity, name: string, annotations: Readonly<Record<string, string>>): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: cluster.namespace,
      labels: clusterLabels(cluster.name),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ownerReferences: [ownerOf(cluster)],
    },
  };
}
