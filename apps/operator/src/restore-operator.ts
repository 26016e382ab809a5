// SPDX-License-Identifier: Apache-2.0
import type { Manager } from '@etcd-operator/controller-runtime';
import { type Client, isKubeError, type Pod, pods } from '@etcd-operator/kube';
import { etcdRestores } from './api/etcd-restore.ts';
import { operatorImageName } from './image.ts';
import { type OperatorOptions, prepareOperator } from './prepare-operator.ts';
import { addRestoreController } from './restore/controller.ts';
import type { AgentSource } from './restore/objects/seed-pod.ts';
import { Scratch } from './restore/source/scratch.ts';
import type { StorageSettings } from './storage/open-store.ts';

/** An etcd-restore-operator's process. */
export interface RestoreOperatorOptions extends OperatorOptions {
  /** Where backups may be read from. */
  readonly storage?: StorageSettings;
  /** The image that the agent is in. @default the image that the operator's own pod runs */
  readonly agentImage?: string;
  /** A folder of its own for sources that are on their way. @default none: they are fetched twice */
  readonly scratchDirectory?: string;
}

const component = 'etcd-restore-operator';

/** Runs the etcd-restore-operator until the signal ends it. */
export async function runEtcdRestoreOperator(options: RestoreOperatorOptions, signal: AbortSignal): Promise<void> {
  const manager = await addEtcdRestoreOperator(options, signal);
  await manager.run(signal);
}

/** The etcd-restore-operator in a manager that has not been run yet. */
export async function addEtcdRestoreOperator(options: RestoreOperatorOptions, signal: AbortSignal): Promise<Manager> {
  const { manager, events, original } = await prepareOperator(component, etcdRestores, options, signal);
  const { clock, random } = manager;
  addRestoreController(manager, {
    storage: { clock, random, ...options.storage },
    agent: await agentSource(options, signal),
    scratch: await Scratch.open(options.scratchDirectory),
    clusterWide: options.clusterWide ?? false,
    oldOperator: original,
    event: (restore, type, reason, message) => events.record(restore, type, reason, message),
    ...(options.dial && { dial: options.dial }),
  });
  return manager;
}

/**
 * What this process runs from: the agent is in the same image, so that the two always understand each other. How that image
 * is pulled counts in the operator's own namespace only: Secrets are not carried to others.
 */
async function agentSource(options: RestoreOperatorOptions, signal: AbortSignal): Promise<AgentSource> {
  const { client, namespace, identity } = options;
  const own = await ownPod(client, { namespace, name: identity }, signal);
  const found = own?.spec?.containers.find(({ name }) => name === component) ?? own?.spec?.containers[0];
  const image = options.agentImage || found?.image || operatorImageName;
  return { image, namespace, pullSecrets: own?.spec?.imagePullSecrets ?? [] };
}

async function ownPod(
  client: Client,
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<Pod | undefined> {
  try {
    return await client.resource(pods).get(key, { signal });
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}
