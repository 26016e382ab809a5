// SPDX-License-Identifier: Apache-2.0
import { createManager, EventWriter } from '@etcd-operator/controller-runtime';
import { type Client, isKubeError, type Pod, pods } from '@etcd-operator/kube';
import { systemClock, systemRandom } from '@etcd-operator/ports';
import { etcdRestores } from '../api/etcd-restore.ts';
import { installCrd } from '../api/install-crd.ts';
import { operatorImageName } from '../image.ts';
import { OldOperator } from '../old-operator.ts';
import type { OperatorOptions } from '../operator.ts';
import { addRestoreController } from './controller.ts';
import type { AgentSource } from './objects/seed-pod.ts';
import { Scratch } from './source/scratch.ts';

/** A restore operator's process. */
export interface RestoreOperatorOptions
  extends Omit<OperatorOptions, 'readLog' | 'healthInterval' | 'chaosLevel' | 'backups'> {
  /** The image that the agent is in. @default the image that the operator's own pod runs */
  readonly agentImage?: string;
  /** A folder of its own for sources that are on their way. @default none: they are fetched twice */
  readonly scratchDirectory?: string;
}

const component = 'etcd-restore-operator';

/** Runs the etcd-restore-operator until the signal ends it. Its first act is to install its CRD. */
export async function runEtcdRestoreOperator(options: RestoreOperatorOptions, signal: AbortSignal): Promise<void> {
  const { client, log, clock = systemClock, random = systemRandom, namespace, identity, http } = options;
  if (options.createCrd ?? true) await installCrd(etcdRestores, { client, clock, log, signal });
  const agent = await agentSource(options, signal);
  const manager = createManager({
    client,
    log,
    clock,
    random,
    ...(options.clusterWide ? {} : { namespace }),
    ...((options.leaderElection ?? true) && {
      leaderElection: { leaseName: component, leaseNamespace: namespace, identity },
    }),
    ...(http && { http }),
  });
  const events = new EventWriter({
    client,
    clock,
    random,
    log,
    metrics: manager.metrics,
    component,
    instance: identity,
  });
  manager.add(events);
  const old = new OldOperator({ client, clock, log, namespace, lockName: component });
  await old.look(signal);
  manager.add(old);
  addRestoreController(
    manager,
    {
      storage: { clock, random, ...options.storage },
      agent,
      scratch: await Scratch.open(options.scratchDirectory),
      oldOperator: () => old.holder,
      event: (restore, type, reason, message) => events.record(restore, type, reason, message),
      ...(options.dial && { dial: options.dial }),
    },
    signal,
  );
  await manager.run(signal);
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
