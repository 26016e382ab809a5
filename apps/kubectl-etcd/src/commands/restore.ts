// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '@etcd-operator/kube';
import { type EtcdCluster, type EtcdRestore, etcdRestores, scopeOf } from '@etcd-operator/operator';
import { type Access, findCluster } from '../access.ts';
import { CliError } from '../cli-error.ts';
import type { Command } from '../command-line.ts';
import type { Report } from '../render/print.ts';
import { awaitOutcome } from './await-outcome.ts';
import { s3Source } from './s3-source.ts';

/** Creates an EtcdRestore, which must bear the cluster's name. */
export async function restore(access: Access, command: Extract<Command, { kind: 'restore' }>): Promise<Report> {
  const cluster = await findIfThere(access, command.cluster);
  const name = command.cluster ?? cluster?.metadata?.name ?? '';
  const object: EtcdRestore = {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: { name, namespace: access.namespace, ...(cluster && { annotations: scopeOf(cluster) }) },
    spec: { etcdCluster: { name }, backupStorageType: 'S3', s3: s3Source(command.s3) },
  };
  const restores = access.client.resource(etcdRestores.resource);
  try {
    await restores.create(object, { signal: access.signal });
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
  let done = object;
  await awaitOutcome(access, `EtcdRestore ${name}`, command.timeout, async () => {
    done = await restores.get({ namespace: access.namespace, name }, { signal: access.signal });
    const { succeeded = false, phase, reason = '' } = done.status ?? {};
    return { succeeded, failure: phase === 'Failed' ? reason : '' };
  });
  return report(done, `EtcdCluster ${name} is restored from ${command.s3.path}.`);
}

/** A cluster that is named may be gone: that is what it is restored for. */
async function findIfThere(access: Access, name: string | undefined): Promise<EtcdCluster | undefined> {
  try {
    return await findCluster(access, name);
  } catch (error) {
    if (name !== undefined && error instanceof CliError && error.code === 'NotFound') return undefined;
    throw error;
  }
}

function report(data: EtcdRestore, line: string): Report {
  return { data, lines: () => [line] };
}
