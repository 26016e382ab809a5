// SPDX-License-Identifier: Apache-2.0
import type { Manager } from '@etcd-operator/controller-runtime';
import { etcdBackups } from './api/etcd-backup.ts';
import { addBackupController } from './backup/controller.ts';
import { type OperatorOptions, prepareOperator } from './prepare-operator.ts';
import type { StorageSettings } from './storage/open-store.ts';

/** An etcd-backup-operator's process. */
export interface BackupOperatorOptions extends OperatorOptions {
  /** Where backups may be kept. */
  readonly storage?: StorageSettings;
}

/** Runs the etcd-backup-operator until the signal ends it. */
export async function runEtcdBackupOperator(options: BackupOperatorOptions, signal: AbortSignal): Promise<void> {
  const manager = await addEtcdBackupOperator(options, signal);
  await manager.run(signal);
}

/** The etcd-backup-operator in a manager that has not been run yet. */
export async function addEtcdBackupOperator(options: BackupOperatorOptions, signal: AbortSignal): Promise<Manager> {
  const { manager, events, original } = await prepareOperator('etcd-backup-operator', etcdBackups, options, signal);
  addBackupController(manager, {
    events,
    clusterWide: options.clusterWide ?? false,
    oldOperator: original,
    ...(options.dial && { dial: options.dial }),
    ...(options.storage && { storage: options.storage }),
  });
  return manager;
}
