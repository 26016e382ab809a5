// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '@etcd-operator/kube';
import { type EtcdBackup, etcdBackups } from '@etcd-operator/operator';
import { type Access, findCluster } from '../access.ts';
import { CliError } from '../cli-error.ts';
import type { Command } from '../command-line.ts';
import type { Report } from '../render/print.ts';
import { awaitOutcome } from './await-outcome.ts';
import { backupOf } from './backup-object.ts';

/** Creates an EtcdBackup of a cluster, reached through its client Service. */
export async function backup(access: Access, command: Extract<Command, { kind: 'backup' }>): Promise<Report> {
  const cluster = await findCluster(access, command.cluster);
  const object = backupOf(cluster, command, access.clock.now());
  const name = object.metadata?.name ?? '';
  const backups = access.client.resource(etcdBackups.resource);
  try {
    await backups.create(object, { signal: access.signal });
  } catch (error) {
    if (isKubeError(error, 'AlreadyExists'))
      throw new CliError('Failed', `EtcdBackup ${name} exists already: give another --name`, { cause: error });
    if (isKubeError(error, 'NotFound'))
      throw new CliError('Failed', 'this cluster does not know EtcdBackups: install the etcd-backup-operator first', {
        cause: error,
      });
    throw error;
  }
  if (!command.wait)
    return report(object, `EtcdBackup ${name} is created; kubectl get etcdbackup ${name} tells how it goes.`);
  const { namespace, signal } = access;
  let made = object;
  await awaitOutcome(access, `EtcdBackup ${name}`, command.timeout, async () => {
    made = await backups.get({ namespace, name }, { signal });
    return { succeeded: made.status?.succeeded ?? false, failure: made.status?.Reason ?? '' };
  });
  const { etcdRevision, etcdVersion } = made.status ?? {};
  const at = `${command.s3.path} (revision ${etcdRevision ?? '?'}, etcd ${etcdVersion ?? '?'})`;
  return report(made, `EtcdBackup ${name} has succeeded: ${at}.`);
}

function report(data: EtcdBackup, line: string): Report {
  return { data, lines: () => [line] };
}
