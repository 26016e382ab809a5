// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import type { OtherOwnerPod } from '../observation.ts';
import { isLost, type NodeReading } from './lost-node.ts';

/**
 * Pods of another object that are endpoints of this cluster's Services. If such a pod is terminating and the operator may read nodes, its
 * node is read: nothing runs on a node that is gone, or that an administrator has declared out of service.
 */
export function otherOwnerPodsOf(pods: readonly Pod[], context: NodeReading): Promise<readonly OtherOwnerPod[]> {
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
