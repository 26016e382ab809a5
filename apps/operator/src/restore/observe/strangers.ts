// SPDX-License-Identifier: Apache-2.0
import { type Client, isKubeError, type Node, nodes, type Pod } from '@etcd-operator/kube';
import type { StrangerPod } from '../observation.ts';

interface NodeReading {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/**
 * Pods of another object that this cluster's Services lead to. The node of one that was told to end is asked for by its name, where the
 * operator may read nodes: nothing runs on one that is gone, or that an administrator has declared out of service.
 */
export function strangersOf(pods: readonly Pod[], context: NodeReading): Promise<readonly StrangerPod[]> {
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

async function isLost(name: string, { client, signal }: NodeReading): Promise<boolean> {
  try {
    return isOutOfService(await client.resource(nodes).get({ name }, { signal }));
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return true;
    // Without the right to read nodes nothing is known of them.
    if (isKubeError(error, 'Forbidden', 'Unauthorized')) return false;
    throw error;
  }
}

function isOutOfService({ spec }: Node): boolean {
  return spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') ?? false;
}
