// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '@etcd-operator/kube';
import { type Access, findCluster } from '../access.ts';
import { CliError } from '../cli-error.ts';
import type { Command } from '../command-line.ts';
import type { Report } from '../render/print.ts';
import { awaitOutcome } from './await-outcome.ts';
import { etcdRestores, type StoreObject, s3Source } from './store-objects.ts';

/** Creates an EtcdRestore, which must bear the cluster's name. */
export async function restore(access: Access, command: Extract<Command, { kind: 'restore' }>): Promise<Report> {
  const name = command.cluster ?? (await findCluster(access, undefined)).metadata?.name ?? '';
  const object: StoreObject = {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: { name, namespace: access.namespace },
    spec: { etcdCluster: { name }, backupStorageType: 'S3', s3: s3Source(command.s3) },
  };
  try {
    await access.client.resource(etcdRestores).create(object, { signal: access.signal });
  } catch (error) {
    if (isKubeError(error, 'AlreadyExists')) {
      const message = `EtcdRestore ${name} exists already, from an earlier restore: kubectl delete etcdrestore ${name}, then try again`;
      throw new CliError('Failed', message, { cause: error });
    }
    if (isKubeError(error, 'NotFound'))
      throw new CliError('Failed', 'this cluster does not know EtcdRestores: install the etcd-restore-operator first', {
        cause: error,
      });
    throw error;
  }
  if (!command.wait)
    return report(object, `EtcdRestore ${name} is created; kubectl get etcdrestore ${name} tells how it goes.`);
  const done = await awaitOutcome(access, etcdRestores, name, command.timeout);
  return report(done, `EtcdCluster ${name} is restored from ${command.s3.path}.`);
}

function report(data: StoreObject, line: string): Report {
  return { data, lines: () => [line] };
}
