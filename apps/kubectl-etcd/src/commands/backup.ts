// SPDX-License-Identifier: Apache-2.0

import { type EtcdBackup, etcdBackups } from '@etcd-operator/operator';
import { isKubeError } from '@operator-parts/kube';
import { type Access, findCluster } from '../access.ts';
import { CliError } from '../cli-error.ts';
import type { Report } from '../render/print.ts';
import { awaitOutcome, lastReport } from './await-outcome.ts';
import { backupOf, type CreateBackup } from './backup-object.ts';

/** Creates an EtcdBackup of a cluster. */
export async function backup(access: Access, command: CreateBackup): Promise<Report> {
  const cluster = await findCluster(access, command.cluster);
  const object = backupOf(cluster, command, access.clock.now());
  const name = object.metadata?.name ?? '';
  const backups = access.client.resource(etcdBackups.resource);
  try {
    await backups.create(object, { signal: access.signal });
  } catch (error) {
    if (isKubeError(error, 'AlreadyExists'))
      throw new CliError('Failed', `EtcdBackup ${name} exists already. Choose another name with --name`, {
        cause: error,
      });
    if (isKubeError(error, 'NotFound'))
      throw new CliError(
        'Failed',
        'this Kubernetes cluster has no EtcdBackup resources: install the etcd-backup-operator first',
        {
          cause: error,
        },
      );
    throw error;
  }
  if (!command.wait)
    return report(object, `EtcdBackup ${name} is created. To see its progress: kubectl get etcdbackup ${name}`);
  const { namespace, signal } = access;
  let made = object;
  await awaitOutcome(access, `EtcdBackup ${name}`, command.timeout, async () => {
    made = await backups.get({ namespace, name }, { signal });
    const { succeeded = false, conditions } = made.status ?? {};
    return { succeeded, failure: failureOf(made, access.clock.now()), reported: lastReport(conditions) };
  });
  const { etcdRevision, etcdVersion, lastBackup } = made.status ?? {};
  const at = `${lastBackup?.path ?? command.store.path} (revision ${etcdRevision ?? '?'}, etcd ${etcdVersion ?? '?'})`;
  return report(made, `EtcdBackup ${name} has succeeded: ${at}.`);
}

/** Only persistent faults have longer pauses: before, waiting for the next attempt is worthwhile. */
const worthWaiting = 60_000;

/**
 * Why it failed, unless the operator retries soon: it never stops retrying, and most faults are gone at the second
 * attempt.
 */
export function failureOf({ status }: Pick<EtcdBackup, 'status'>, now: number): string {
  const { Reason: reason = '', nextAttemptDate } = status ?? {};
  const next = Date.parse(nextAttemptDate ?? '');
  return Number.isNaN(next) || next - now > worthWaiting ? reason : '';
}

function report(data: EtcdBackup, line: string): Report {
  return { data, lines: () => [line] };
}
