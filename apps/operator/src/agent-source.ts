// SPDX-License-Identifier: Apache-2.0
import { type Client, ignoreNotFound, pods } from '@operator-parts/kube';
import { operatorImageName } from './image.ts';
import type { AgentSource } from './restore/objects/seed-pod.ts';

/** What is needed to find out which image a program runs from. */
export interface AgentOptions {
  readonly client: Client;
  /** The program's own namespace, and the name of its own pod. */
  readonly namespace: string;
  readonly identity: string;
  /** The image that contains the agent. @default the image that the program's own pod runs */
  readonly agentImage?: string;
}

/**
 * The image that this process runs from. The image also contains the agent, so operator and agent always have the same version. The pull
 * Secrets are used only in the operator's own namespace, because Secrets are not copied to other namespaces.
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
