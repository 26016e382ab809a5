// SPDX-License-Identifier: Apache-2.0

import { type EtcdCluster, type EtcdRestore, etcdRestores, scopeOf } from '@etcd-operator/operator';
import { isKubeError } from '@operator-parts/kube';
import { type Access, findCluster } from '../../access.ts';
import { CliError } from '../../cli-error.ts';
import type { Command } from '../../command-line.ts';
import type { Report } from '../../render/print.ts';
import { sourceOf } from '../../store-location.ts';
import { awaitOutcome, lastReport } from '../await-outcome.ts';
import { restoreKeys } from './restore-keys.ts';

/** Creates an EtcdRestore, which must have the cluster's name. */
export async function restore(access: Access, command: Extract<Command, { kind: 'restore' }>): Promise<Report> {
  const cluster = await (command.keys ? findCluster : findIfThere)(access, command.cluster);
  const name = command.cluster ?? cluster?.metadata?.name ?? '';
  if (command.keys) return restoreKeys(access, cluster, { ...command, keys: command.keys });
  if (cluster && !command.yes) throw new CliError('Usage', unconfirmed(cluster));
  const object: EtcdRestore = {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: { name, namespace: access.namespace, ...(cluster && { annotations: scopeOf(cluster) }) },
    spec: { etcdCluster: { name }, backupStorageType: command.store.type, ...sourceOf(command.store) },
  };
  const restores = access.client.resource(etcdRestores.resource);
  try {
    await restores.create(object, { signal: access.signal });
  } catch (error) {
    if (isKubeError(error, 'AlreadyExists')) {
      const message = `EtcdRestore ${name} exists already, from an earlier restore. Delete it with kubectl delete etcdrestore ${name}, then repeat this command`;
      throw new CliError('Failed', message, { cause: error });
    }
    if (isKubeError(error, 'NotFound'))
      throw new CliError(
        'Failed',
        'this Kubernetes cluster has no EtcdRestore resources: install the etcd-restore-operator first',
        {
          cause: error,
        },
      );
    throw error;
  }
  if (!command.wait)
    return report(object, `EtcdRestore ${name} is created. To see its progress: kubectl get etcdrestore ${name}`);
  let done = object;
  await awaitOutcome(access, `EtcdRestore ${name}`, command.timeout, async () => {
    done = await restores.get({ namespace: access.namespace, name }, { signal: access.signal });
    const { succeeded = false, phase, reason = '', conditions } = done.status ?? {};
    return { succeeded, failure: phase === 'Failed' ? reason : '', reported: lastReport(conditions) };
  });
  return report(done, `EtcdCluster ${name} is restored from ${command.store.path}.`);
}

function unconfirmed({ metadata, status }: EtcdCluster): string {
  const available = status?.conditions?.find(({ type }) => type === 'Available')?.status === 'True';
  const state = available ? 'exists and serves clients' : 'exists';
  return `EtcdCluster ${metadata?.name} ${state}: the restore replaces all its data with the backup. To restore anyway, add --yes.`;
}

/** A named cluster may not exist any more: the restore recreates it. */
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
