// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { isLost, type NodeReading } from './lost-node.ts';

/**
 * True if a pod may have the only copy of a member's data: it was scheduled to a node that may still exist, has not ended, and has no
 * volume. Whether it is Ready or reachable says nothing about its data.
 */
export async function mayHoldData({ spec, status }: Pod, context: NodeReading): Promise<boolean> {
  const node = spec?.nodeName ?? '';
  const hasEnded = status?.phase === 'Failed' || status?.phase === 'Succeeded';
  const isOnVolume = spec?.volumes?.some(
    ({ name, persistentVolumeClaim }) => name === 'etcd-data' && persistentVolumeClaim,
  );
  if (node === '' || hasEnded || isOnVolume) return false;
  return !(await isLost(node, context));
}
