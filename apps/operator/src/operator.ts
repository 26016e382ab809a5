// SPDX-License-Identifier: Apache-2.0
/** The operators, to be run by a program. That of clusters is apart: it needs none of the large libraries of stores. */
import type { EventWriter, Manager } from '@etcd-operator/controller-runtime';
import { etcdBackups } from './api/etcd-backup.ts';
import { installCrd } from './api/install-crd.ts';
import { addBackupController } from './backup/controller.ts';
import { OldOperator } from './old-operator.ts';
import { eventWriter, type OperatorOptions, operatorManager } from './operator-manager.ts';

export { runEtcdOperator } from './cluster-operator.ts';
export type { OperatorOptions } from './operator-manager.ts';

/** Runs the etcd-backup-operator until the signal ends it. Its first act is to install its CRD. */
export async function runEtcdBackupOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const manager = operatorManager(options, 'etcd-backup-operator');
  await addBackups(manager, options, eventWriter(manager, 'etcd-backup-operator', options.identity), signal);
  await manager.run(signal);
}

async function addBackups(
  manager: Manager,
  options: OperatorOptions,
  events: EventWriter,
  signal: AbortSignal,
): Promise<void> {
  // The kind is installed before anybody leads.
  const { unfencedClient: client, clock, log } = manager;
  if (options.createCrd ?? true) await installCrd(etcdBackups, { client, clock, log, signal });
  const old = new OldOperator({ client, clock, log, namespace: options.namespace, lockName: 'etcd-backup-operator' });
  await old.look(signal);
  manager.add(old);
  addBackupController(manager, {
    events,
    oldOperator: () => old.holder,
    ...(options.dial && { dial: options.dial }),
    ...(options.storage && { storage: options.storage }),
  });
}
