// SPDX-License-Identifier: Apache-2.0
import type { Manager } from '@operator-parts/controller-runtime';
import { agentSource } from './agent-source.ts';
import { etcdBackups } from './api/etcd-backup.ts';
import type { EndpointNetwork } from './backup/act/endpoint/endpoint-dialer.ts';
import type { EndpointRules } from './backup/act/endpoint/endpoint-rules.ts';
import { addBackupController } from './backup/controller.ts';
import type { PodGrants } from './cluster/grants/pod-grants.ts';
import { type OperatorOptions, prepareOperator, runOperator } from './prepare-operator.ts';
import type { StorageSettings } from './storage/open-store.ts';

/** Options of an etcd-backup-operator process. */
export interface BackupOperatorOptions extends OperatorOptions {
  /** Settings for the stores of backups. */
  readonly storage?: StorageSettings;
  /** Rules for the etcd endpoints that objects name. @default no host is allowed or refused explicitly */
  readonly endpoints?: Omit<EndpointRules, 'isShared'>;
  /** Which images may run in the pods of proofs (test restores of stored backups). @default all images */
  readonly grants?: PodGrants;
  /** The image that contains the agent of proofs. @default the image that the operator's own pod runs */
  readonly agentImage?: string;
  /** Resolves host names, and connects to the etcd endpoints that objects name. @default the real network */
  readonly network?: EndpointNetwork;
}

/** Runs the etcd-backup-operator until the signal aborts. */
export async function runEtcdBackupOperator(options: BackupOperatorOptions, signal: AbortSignal): Promise<void> {
  await runOperator(options, addEtcdBackupOperator, signal);
}

/** Adds the etcd-backup-operator to a manager that has not been started yet. */
export async function addEtcdBackupOperator(options: BackupOperatorOptions, signal: AbortSignal): Promise<Manager> {
  const { manager, events, coreosOperator, scope } = await prepareOperator(
    'etcd-backup-operator',
    etcdBackups,
    options,
    signal,
  );
  addBackupController(manager, {
    events,
    scope,
    coreosOperator,
    agent: (until) => agentSource('etcd-backup-operator', options, until),
    ...(options.grants && { grants: options.grants }),
    ...(options.dial && { dial: options.dial }),
    ...(options.storage && { storage: options.storage }),
    ...(options.endpoints && { endpoints: options.endpoints }),
    ...(options.network && { network: options.network }),
  });
  return manager;
}
