// SPDX-License-Identifier: Apache-2.0
import type { Manager } from '@etcd-operator/controller-runtime';
import { agentSource } from './agent-source.ts';
import { etcdRestores } from './api/etcd-restore.ts';
import type { PodGrants } from './cluster/grants/pod-grants.ts';
import { type OperatorOptions, prepareOperator, runOperator } from './prepare-operator.ts';
import { addRestoreController } from './restore/controller.ts';
import { Scratch } from './restore/source/scratch.ts';
import type { StorageSettings } from './storage/open-store.ts';

/** An etcd-restore-operator's process. */
export interface RestoreOperatorOptions extends OperatorOptions {
  /** Where backups may be read from. */
  readonly storage?: StorageSettings;
  /** Which pods restored clusters may have. @default none that weaken the restricted Pod Security Standard; every image */
  readonly grants?: PodGrants;
  /** The image that the agent is in. @default the image that the operator's own pod runs */
  readonly agentImage?: string;
  /** A folder of its own for sources that are on their way. @default none: they are fetched twice */
  readonly scratchDirectory?: string;
}

const component = 'etcd-restore-operator';

/** Runs the etcd-restore-operator until the signal ends it. */
export async function runEtcdRestoreOperator(options: RestoreOperatorOptions, signal: AbortSignal): Promise<void> {
  await runOperator(options, addEtcdRestoreOperator, signal);
}

/** The etcd-restore-operator in a manager that has not been run yet. */
export async function addEtcdRestoreOperator(options: RestoreOperatorOptions, signal: AbortSignal): Promise<Manager> {
  const { manager, events, original, scope } = await prepareOperator(component, etcdRestores, options, signal);
  const { clock, random } = manager;
  addRestoreController(manager, {
    storage: { clock, random, ...options.storage },
    agent: await agentSource(component, options, signal),
    scratch: await Scratch.open(options.scratchDirectory),
    scope,
    oldOperator: original,
    event: (restore, type, reason, message) => events.record(restore, type, reason, message),
    ...(options.grants && { grants: options.grants }),
    ...(options.dial && { dial: options.dial }),
  });
  return manager;
}
