// SPDX-License-Identifier: Apache-2.0
import type { Manager } from '@operator-parts/controller-runtime';
import { agentSource } from './agent-source.ts';
import { etcdRestores } from './api/etcd-restore.ts';
import type { PodGrants } from './cluster/grants/pod-grants.ts';
import { type OperatorOptions, prepareOperator, runOperator } from './prepare-operator.ts';
import { addRestoreController } from './restore/controller.ts';
import { Scratch } from './restore/source/scratch.ts';
import type { StorageSettings } from './storage/open-store.ts';

/** Options of an etcd-restore-operator process. */
export interface RestoreOperatorOptions extends OperatorOptions {
  /** Settings for the stores of backups. */
  readonly storage?: StorageSettings;
  /** Which pods restored clusters may have. @default all pods that do not weaken the restricted Pod Security Standard, with every image */
  readonly grants?: PodGrants;
  /** The image that contains the agent. @default the image that the operator's own pod runs */
  readonly agentImage?: string;
  /** A folder that is used only for sources while they are transferred. @default undefined: every source is fetched twice */
  readonly scratchDirectory?: string;
}

const component = 'etcd-restore-operator';

/** Runs the etcd-restore-operator until the signal aborts. */
export async function runEtcdRestoreOperator(options: RestoreOperatorOptions, signal: AbortSignal): Promise<void> {
  await runOperator(options, addEtcdRestoreOperator, signal);
}

/** Adds the etcd-restore-operator to a manager that has not been started yet. */
export async function addEtcdRestoreOperator(options: RestoreOperatorOptions, signal: AbortSignal): Promise<Manager> {
  const { manager, events, coreosOperator, scope } = await prepareOperator(component, etcdRestores, options, signal);
  const { clock, random } = manager;
  addRestoreController(manager, {
    storage: { clock, random, ...options.storage },
    agent: await agentSource(component, options, signal),
    scratch: await Scratch.open(options.scratchDirectory),
    scope,
    coreosOperator,
    event: (restore, type, reason, message) => events.record(restore, type, reason, message),
    ...(options.grants && { grants: options.grants }),
    ...(options.dial && { dial: options.dial }),
  });
  return manager;
}
