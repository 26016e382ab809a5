// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Pod } from '@operator-parts/kube';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { labels } from '../../api/names.ts';
import { type ClusterIdentity, ownerOf } from './owner.ts';
import { containerSecurity, podSecurity } from './security-context.ts';

/** The name depends only on cluster, image and node, so that two operators that check at the same time do not create two pods. */
function imageCheckName(cluster: string, node: string, image: string): string {
  const digest = createHash('sha256').update(`${cluster}\0${node}\0${image}`).digest('hex').slice(0, 10);
  return `${cluster.slice(0, 40)}-image-${digest}`;
}

/**
 * A temporary pod that pulls an image on one node and prints the etcd version in this image, before the container of a member is stopped to
 * use the image. The pod has no label that Services or the disruption budget select.
 */
export function imageCheckPod(cluster: ClusterIdentity, spec: EtcdClusterSpec, node: string, image: string): Pod {
  const pod = spec.pod ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: imageCheckName(cluster.name, node, image),
      namespace: cluster.namespace,
      labels: { [labels.imageCheck]: cluster.name },
      ownerReferences: [ownerOf(cluster)],
    },
    spec: {
      nodeName: node,
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: podSecurity(pod, false),
      ...(pod.imagePullSecrets && { imagePullSecrets: pod.imagePullSecrets }),
      ...(pod.tolerations && { tolerations: pod.tolerations }),
      ...(pod.priorityClassName && { priorityClassName: pod.priorityClassName }),
      ...(pod.runtimeClassName && { runtimeClassName: pod.runtimeClassName }),
      containers: [
        {
          name: 'etcd',
          image,
          command: ['/usr/local/bin/etcd', '--version'],
          securityContext: containerSecurity(pod, false),
        },
      ],
    },
  };
}
