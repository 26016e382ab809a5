// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import type { Addresses } from '../../network/addresses.ts';
import type { ContainerMount } from '../../runtime/container-runtime.ts';
import { ConfigError } from '../environment/config-source.ts';
import { writePodFiles } from '../files/pod-files.ts';
import type { PodVolumes } from '../files/pod-volumes.ts';
import type { NodeContext } from '../node-context.ts';

/** A pod with the volumes and the network that its containers need. */
export interface ReadyPod {
  readonly sandbox: string;
  readonly addresses: Addresses;
  readonly podFiles: readonly ContainerMount[];
}

const firstDelay = 500;
const longestDelay = 122_000;

/** The delay after `attempts` failed set-ups of a pod, in milliseconds. */
export function setupDelay(attempts: number, timeFactor: number): number {
  return Math.min(firstDelay * 2 ** (attempts - 1), longestDelay) / timeFactor;
}

/** Creates a pod's volumes and network; on failure releases both and records an event with the error. */
export async function setUpPod(
  node: NodeContext,
  pod: Pod,
  directory: string,
  volumes: PodVolumes,
): Promise<ReadyPod | undefined> {
  const addresses = pod.spec?.hostNetwork ? node.hostIps : node.addresses.take();
  try {
    if (addresses === undefined) throw new Error('no more addresses on this node');
    await volumes.setUp(pod, { nodeName: node.nodeName, hostIps: node.hostIps, podIps: addresses });
    const podFiles = await writePodFiles(pod, directory, addresses);
    const sandbox = sandboxOf(node, pod);
    await node.runtime.createSandbox({ id: sandbox, addresses });
    return { sandbox, addresses, podFiles };
  } catch (error) {
    if (addresses !== undefined) node.addresses.give(addresses);
    const words = error instanceof Error ? error.message : String(error);
    if (error instanceof ConfigError) node.events.event(pod, 'Warning', 'FailedMount', words);
    else node.events.event(pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${words}`);
    return undefined;
  }
}

/** Releases a pod's network. The host network is kept. */
export async function releaseNetwork(node: NodeContext, sandbox: string, addresses: Addresses): Promise<void> {
  if (addresses === node.hostIps) return;
  await node.runtime.removeSandbox(sandbox).catch(() => undefined);
  node.addresses.give(addresses);
}

/** Pods in the host network share the sandbox of their node. */
function sandboxOf(node: NodeContext, pod: Pod): string {
  return pod.spec?.hostNetwork ? `node-${node.nodeName}` : `pod-${pod.metadata?.uid}`;
}
