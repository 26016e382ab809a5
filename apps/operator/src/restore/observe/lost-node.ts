// SPDX-License-Identifier: Apache-2.0
import { type Client, isKubeError, type Node, nodes } from '@operator-parts/kube';

export interface NodeReading {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** False for an operator of one namespace: it has no permission to read nodes. @default true */
  readonly readsNodes?: boolean;
}

/** True if a node is gone, or an administrator has declared it out of service: nothing runs there. False if the node cannot be read. */
export async function isLost(name: string, { client, signal, readsNodes = true }: NodeReading): Promise<boolean> {
  if (!readsNodes) return false;
  try {
    return isOutOfService(await client.resource(nodes).get({ name }, { signal }));
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return true;
    // Without permission to read nodes, nothing is known about them.
    if (isKubeError(error, 'Forbidden', 'Unauthorized')) return false;
    throw error;
  }
}

/** True if a node does not report and is not known to be gone: its pods may still run. Undefined if nodes cannot be read. */
export async function isUnreachable(
  name: string,
  { client, signal, readsNodes = true }: NodeReading,
): Promise<boolean | undefined> {
  if (!readsNodes) return undefined;
  try {
    const node = await client.resource(nodes).get({ name }, { signal });
    const isReady = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
    return !isReady && !isOutOfService(node);
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return false;
    if (isKubeError(error, 'Forbidden', 'Unauthorized')) return undefined;
    throw error;
  }
}

function isOutOfService({ spec }: Node): boolean {
  return spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') ?? false;
}
