// SPDX-License-Identifier: Apache-2.0
import { addEtcdBackupOperator, type BackupOperatorOptions } from './backup-operator.ts';
import { addEtcdOperator, type ClusterOperatorOptions } from './cluster-operator.ts';
import { type ControllerName, controllerNames } from './controller-names.ts';
import { openManager } from './prepare-operator.ts';
import { addEtcdRestoreOperator, type RestoreOperatorOptions } from './restore-operator.ts';

/** A process with several operators. */
export interface AllOperatorsOptions extends ClusterOperatorOptions, BackupOperatorOptions, RestoreOperatorOptions {
  readonly controllers: readonly ControllerName[];
}

/**
 * Runs several operators in one process until the signal ends it. They share the connection, the caches and the place of probes and
 * metrics. Each elects its leader under its own name, as it does alone: of two processes that run different controllers, none does
 * what another does already.
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
      await addEtcdOperator(options, signal);
      return;
    case 'backup':
      await addEtcdBackupOperator(options, signal);
      return;
    case 'restore':
      await addEtcdRestoreOperator(options, signal);
  }
}
