// SPDX-License-Identifier: Apache-2.0
import { type Client, ignoreNotFound, pods } from '@etcd-operator/kube';
import { operatorImageName } from './image.ts';
import type { AgentSource } from './restore/objects/seed-pod.ts';

/** What says which image a program runs from. */
export interface AgentOptions {
  readonly client: Client;
  /** The program's own namespace, and the name of its own pod there. */
  readonly namespace: string;
  readonly identity: string;
  /** The image that the agent is in. @default the image that the program's own pod runs */
  readonly agentImage?: string;
}

/**
 * What this process runs from: the agent is in the same image, so that the two always understand each other. How that image
 * is pulled counts in the operator's own namespace only: Secrets are not carried to others.
 */
export async function agentSource(
  component: string,
  { client, namespace, identity, agentImage }: AgentOptions,
  signal: AbortSignal,
): Promise<AgentSource> {
  const own = await ignoreNotFound(client.resource(pods).get({ namespace, name: identity }, { signal }));
  const found = own?.spec?.containers.find(({ name }) => name === component) ?? own?.spec?.containers[0];
  const image = agentImage || found?.image || operatorImageName;
  return { image, namespace, pullSecrets: own?.spec?.imagePullSecrets ?? [] };
}
