// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@etcd-operator/kube';
import type { ContainerMount } from '../runtime/container-runtime.ts';
import { ConfigError } from './config-source.ts';
import type { NodeContext } from './node-context.ts';
import { writePodFiles } from './pod-files.ts';
import type { PodVolumes } from './pod-volumes.ts';

/** A pod that containers can be started in. */
export interface ReadyPod {
  readonly sandbox: string;
  readonly address: string;
  readonly podFiles: readonly ContainerMount[];
}

const firstDelay = 500;
const longestDelay = 122_000;

/** When to try again to set a pod up that has failed `attempts` times, in milliseconds. */
export function setupDelay(attempts: number, timeFactor: number): number {
  return Math.min(firstDelay * 2 ** (attempts - 1), longestDelay) / timeFactor;
}

/** Makes a pod's volumes and network; on failure gives back what was taken and says in an event what is wrong. */
export async function setUpPod(
  node: NodeContext,
  pod: Pod,
  directory: string,
  volumes: PodVolumes,
): Promise<ReadyPod | undefined> {
  const address = pod.spec?.hostNetwork ? node.hostIp : node.addresses.take();
  try {
    if (address === undefined) throw new Error('no more addresses on this node');
    await volumes.setUp(pod, { nodeName: node.nodeName, hostIp: node.hostIp, podIp: address });
    const podFiles = await writePodFiles(pod, directory, address);
    const sandbox = sandboxOf(node, pod);
    await node.runtime.createSandbox({ id: sandbox, address });
    return { sandbox, address, podFiles };
  } catch (error) {
    if (address !== undefined) node.addresses.give(address);
    const words = error instanceof Error ? error.message : String(error);
    if (error instanceof ConfigError) node.events.event(pod, 'Warning', 'FailedMount', words);
    else node.events.event(pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${words}`);
    return undefined;
  }
}

/** Gives a pod's network back. That of the node itself stays. */
export async function releaseNetwork(node: NodeContext, sandbox: string, address: string): Promise<void> {
  if (address === node.hostIp) return;
  await node.runtime.removeSandbox(sandbox).catch(() => undefined);
  node.addresses.give(address);
}

/** Pods in the host network share the sandbox of their node. */
function sandboxOf(node: NodeContext, pod: Pod): string {
  return pod.spec?.hostNetwork ? `node-${node.nodeName}` : `pod-${pod.metadata?.uid}`;
}
