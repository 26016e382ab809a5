// SPDX-License-Identifier: Apache-2.0
import { addEtcdBackupOperator, type BackupOperatorOptions } from './backup-operator.ts';
import { addEtcdOperator, type ClusterOperatorOptions } from './cluster-operator.ts';
import { type ControllerName, controllerNames } from './controller-names.ts';
import { addOperators, openManager } from './prepare-operator.ts';
import { addEtcdRestoreOperator, type RestoreOperatorOptions } from './restore-operator.ts';

/** Options of a process that runs several operators. */
export interface AllOperatorsOptions extends ClusterOperatorOptions, BackupOperatorOptions, RestoreOperatorOptions {
  readonly controllers: readonly ControllerName[];
}

/**
 * Runs several operators in one process until the signal aborts. They share the connection to the API server, the caches, and the address
 * for probes and metrics. Each operator elects its leader with its own Lease, which is the same Lease as when that operator runs alone. So
 * two processes never run the same controller at the same time, even if they run different sets of controllers.
 */
export async function runOperators(options: AllOperatorsOptions, signal: AbortSignal): Promise<void> {
  const host = openManager(options);
  for (const name of controllerNames) {
    if (options.controllers.includes(name)) await add(name, { ...options, host }, signal);
  }
  await host.run(signal);
}

async function add(name: ControllerName, options: AllOperatorsOptions, signal: AbortSignal): Promise<void> {
  switch (name) {
    case 'cluster':
      await addOperators(options, addEtcdOperator, signal);
      return;
    case 'backup':
      await addOperators(options, addEtcdBackupOperator, signal);
      return;
    case 'restore':
      await addOperators(options, addEtcdRestoreOperator, signal);
  }
}
