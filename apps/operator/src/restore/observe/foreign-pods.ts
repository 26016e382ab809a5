// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@etcd-operator/kube';
import type { ForeignPod } from '../observation.ts';
import { isLost, type NodeReading } from './lost-node.ts';

/**
 * Pods of another object that this cluster's Services lead to. The node of one that was told to end is asked for by its name, where the
 * operator may read nodes: nothing runs on one that is gone, or that an administrator has declared out of service.
 */
export function foreignPodsOf(pods: readonly Pod[], context: NodeReading): Promise<readonly ForeignPod[]> {
  return Promise.all(
    pods.map(async ({ metadata, spec }) => {
      const node = spec?.nodeName ?? '';
      const isEnding = metadata?.deletionTimestamp !== undefined;
      return {
        name: metadata?.name ?? '',
        node,
        isOnLostNode: isEnding && node !== '' && (await isLost(node, context)),
      };
    }),
  );
}
