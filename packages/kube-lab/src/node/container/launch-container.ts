// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { Container, Pod } from '@operator-parts/kube';
import type { Addresses } from '../../network/addresses.ts';
import type { ContainerMount, ContainerSpec } from '../../runtime/container-runtime.ts';
import { ConfigError } from '../environment/config-source.ts';
import type { PodVolumes } from '../files/pod-volumes.ts';
import type { NodeContext } from '../node-context.ts';
import { rotateLogs } from './container-logs.ts';
import type { PulledImage } from './image-puller.ts';
import { LaunchError } from './launch-error.ts';
import { prepareContainer } from './prepare-container.ts';

/** One attempt to start a container. */
export interface Launch {
  readonly pod: Pod;
  readonly container: Container;
  readonly runId: string;
  readonly sandbox: string;
  readonly podIps: Addresses;
  /** Number of the run: 0, 1, ... */
  readonly attempt: number;
  readonly podFiles: readonly ContainerMount[];
  /** Folder of the pod on the host. */
  readonly directory: string;
}

/**
 * Creates a container from a pulled image and starts its program. Throws a `LaunchError` if the declaration is invalid.
 */
export async function launchContainer(
  node: NodeContext,
  volumes: PodVolumes,
  pulled: PulledImage,
  launch: Launch,
): Promise<void> {
  await node.runtime.startContainer(await specOf(node, volumes, pulled, launch));
}

async function specOf(
  node: NodeContext,
  volumes: PodVolumes,
  pulled: PulledImage,
  launch: Launch,
): Promise<ContainerSpec> {
  const { pod, container, runId, sandbox, podIps, attempt, podFiles } = launch;
  try {
    return await prepareContainer({
      pod,
      container,
      image: pulled.image,
      runId,
      sandbox,
      where: { nodeName: node.nodeName, hostIps: node.hostIps, podIps },
      config: node.config,
      volumes,
      podFiles,
      directory: runDirectory(launch.directory, container.name, runId),
      logFile: await rotateLogs(node.directory, pod, container.name, attempt),
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new LaunchError('CreateContainerConfigError', error.message, { cause: error });
  }
}

/** Folder of one run of a container. */
export function runDirectory(podDirectory: string, container: string, runId: string): string {
  return join(podDirectory, 'containers', container, runId.slice(0, 12));
}
