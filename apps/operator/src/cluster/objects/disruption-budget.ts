// SPDX-License-Identifier: Apache-2.0
import { jsonEqual, type PodDisruptionBudget } from '@operator-parts/kube';
import { clusterLabels, labels } from '../../api/names.ts';
import { type ClusterIdentity, ownerOf } from './owner.ts';

/**
 * Prevents voluntary evictions from breaking the quorum. Only promoted voters count. Pods that are not ready are protected too: without a
 * quorum all pods are unready, and a drain must not delete them then (operator rule 16).
 */
export function disruptionBudget(cluster: ClusterIdentity, minAvailable: number): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name: cluster.name,
      namespace: cluster.namespace,
      labels: clusterLabels(cluster.name),
      ownerReferences: [ownerOf(cluster)],
    },
    spec: {
      minAvailable,
      selector: { matchLabels: { ...clusterLabels(cluster.name), [labels.voter]: 'true' } },
      unhealthyPodEvictionPolicy: 'IfHealthyBudget',
    },
  };
}

/** True if a budget counts other pods than the wanted budget, or has `maxUnavailable`, which cannot be combined with `minAvailable`. */
export function countsOtherwise({ spec: found }: PodDisruptionBudget, { spec: wanted }: PodDisruptionBudget): boolean {
  return found?.maxUnavailable !== undefined || !jsonEqual(found?.selector, wanted?.selector);
}
