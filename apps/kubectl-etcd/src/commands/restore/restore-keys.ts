// SPDX-License-Identifier: Apache-2.0

import { counted, type EtcdCluster, type EtcdRestore, etcdRestores, scopeOf } from '@etcd-operator/operator';
import { ignoreNotFound, jsonEqual } from '@operator-parts/kube';
import type { Access } from '../../access.ts';
import { CliError } from '../../cli-error.ts';
import type { Command } from '../../command-line.ts';
import type { Report } from '../../render/print.ts';
import { sourceOf } from '../../store-location.ts';
import { awaitOutcome, lastReport } from '../await-outcome.ts';

/** Keys of a cluster that stays in service. */
export interface KeysAsked {
  readonly prefixes: readonly string[];
  /** The keys are only counted. */
  readonly dryRun: boolean;
  /** Also overwrites keys that have changed since they were counted. */
  readonly overwrite: boolean;
}

type Asked = Extract<Command, { kind: 'restore' }> & { readonly keys: KeysAsked };

/** Creates an EtcdRestore of prefixes, or lets the one that has counted the same keys write them. */
export async function restoreKeys(access: Access, cluster: EtcdCluster | undefined, command: Asked): Promise<Report> {
  const { keys, store, yes } = command;
  const clusterName = cluster?.metadata?.name ?? '';
  if (!keys.dryRun && !yes) throw new CliError('Usage', unconfirmed(clusterName, keys));
  // Its name differs from that of a restore of the whole cluster, which is the cluster's name.
  const name = `${clusterName}-keys`;
  const { dryRun, overwrite, prefixes } = keys;
  const spec = {
    etcdCluster: { name: clusterName },
    backupStorageType: store.type,
    ...sourceOf(store),
    prefixes,
    dryRun,
    ...(overwrite && { onConflict: 'Overwrite' as const }),
  };
  const restores = access.client.resource(etcdRestores.resource);
  const key = { namespace: access.namespace, name };
  const { signal } = access;
  const before = await ignoreNotFound(restores.get(key, { signal }));
  if (before && !isCountOf(before, spec)) throw new CliError('Failed', occupied(name));
  const object: EtcdRestore = {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: { ...key, ...(cluster && { annotations: scopeOf(cluster) }) },
    spec,
  };
  const uid = before?.metadata?.uid ?? '';
  const patch = { metadata: { uid }, spec: { dryRun, onConflict: spec.onConflict ?? null } };
  let made = before
    ? await restores.patch(key, { type: 'merge', patch }, { signal })
    : await restores.create(object, { signal });
  if (!command.wait)
    return report(
      made,
      `EtcdRestore ${name} is in progress. To see its progress: kubectl get etcdrestore ${name} -o yaml`,
    );
  const { generation } = made.metadata ?? {};
  await awaitOutcome(access, `EtcdRestore ${name}`, command.timeout, async () => {
    made = await restores.get(key, { signal });
    const { succeeded = false, phase, reason = '', conditions, observedGeneration } = made.status ?? {};
    // A status for an older spec does not apply.
    if (observedGeneration !== generation) return { succeeded: false, failure: '', reported: '' };
    return { succeeded, failure: phase === 'Failed' ? reason : '', reported: lastReport(conditions) };
  });
  return report(made, outcome(made, clusterName));
}

/** True if the same keys of the same backup were counted: the rest of the spec is equal. */
function isCountOf({ spec, status }: EtcdRestore, wanted: EtcdRestore['spec']): boolean {
  const { dryRun: _dryRun, onConflict: _onConflict, ...before } = spec;
  const { dryRun: _wanted, onConflict: _answer, ...asked } = wanted;
  return jsonEqual(before, asked) && (status?.prefixes?.dryRun === true || status?.phase === 'Failed');
}

function outcome({ status }: EtcdRestore, name: string): string {
  const { dryRun, puts = 0, creates = 0, deletes = 0, unchanged = 0, leased = 0, revision } = status?.prefixes ?? {};
  const counts = `${counted(puts, 'key')} written (${creates} of them new), ${deletes} deleted, ${unchanged} already the same as in the backup`;
  const leases =
    leased > 0
      ? ` ${counted(leased, 'key')} had a lease in the backup and ${leased === 1 ? 'has' : 'have'} no lease now.`
      : '';
  const { warning } = status?.prefixes ?? {};
  if (dryRun)
    return `Dry run: nothing was written. At revision ${revision}, the restore would give: ${counts}.${warning ? ` The keys cannot be written now: ${warning}.` : ''}`;
  const { path, earlier = [] } = status?.safetySnapshot ?? {};
  const saved = [...earlier.map((one) => one.path), ...(path === undefined ? [] : [path])].join(', ');
  return `EtcdCluster ${name}: ${counts}.${leases}${saved ? ` The data from before the restore is saved in ${saved}.` : ''}`;
}

function unconfirmed(name: string, { prefixes }: KeysAsked): string {
  return `this command replaces the keys of EtcdCluster ${name} that begin with ${prefixes.join(' or ')}, and deletes those that the backup does not have. To only count these keys, add --dry-run; to replace and delete them, add --yes.`;
}

function occupied(name: string): string {
  return `EtcdRestore ${name} exists already, from another restore. Delete it with kubectl delete etcdrestore ${name}, then repeat this command`;
}

function report(data: EtcdRestore, line: string): Report {
  return { data, lines: () => [line] };
}
