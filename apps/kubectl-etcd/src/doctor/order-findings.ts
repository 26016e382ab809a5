// SPDX-License-Identifier: Apache-2.0
import type { EtcdBackup, EtcdCluster, EtcdRestore } from '@etcd-operator/operator';
import { remedyOf } from './cluster-findings.ts';
import type { Finding } from './finding.ts';

/** The problems of a cluster's backups and restores. `now` in milliseconds since the epoch. */
export function orderFindings(
  cluster: EtcdCluster,
  backups: readonly EtcdBackup[],
  restores: readonly EtcdRestore[],
  now: number,
): readonly Finding[] {
  const { name = '', namespace = '' } = cluster.metadata ?? {};
  const own = backups.filter(({ spec }) => isOf(spec, name));
  return [
    ...restores.filter(({ spec }) => spec.etcdCluster?.name === name).flatMap(restoreFinding),
    ...own.flatMap((backup) => backupFinding(backup, now)),
    ...(own.some(({ status }) => status?.lastSuccessDate || status?.succeeded) ? [] : [neverSaved(name, namespace)]),
  ];
}

/** By name, or by an endpoint of its client Service. */
function isOf({ clusterRef, etcdEndpoints }: EtcdBackup['spec'], cluster: string): boolean {
  const isService = (endpoint: string) => URL.parse(endpoint)?.hostname.split('.')[0] === `${cluster}-client`;
  return clusterRef?.name === cluster || (etcdEndpoints?.some(isService) ?? false);
}

function neverSaved(name: string, namespace: string): Finding {
  return {
    urgency: 'later',
    object: `etcdcluster/${name}`,
    namespace,
    what: 'No backup',
    why: 'No successful EtcdBackup of this cluster was found, or you may not read it.',
    todo: `To see how to make a backup: kubectl etcd backup create ${name} --help`,
  };
}

function backupFinding({ metadata = {}, status }: EtcdBackup, now: number): readonly Finding[] {
  const about = { object: `etcdbackup/${metadata.name}`, namespace: metadata.namespace ?? '' };
  const failed = status?.conditions?.find(({ type, status: value }) => type === 'Succeeded' && value === 'False');
  if (failed) {
    const { reason = '', message: why = '' } = failed;
    const last = status?.lastSuccessDate ? ` The last successful backup was made at ${status.lastSuccessDate}.` : '';
    const what = `Backup failed: ${reason}`;
    return [{ ...about, urgency: 'soon', what, why: `${why}.${last}`, todo: remedyOf('EtcdBackup', reason) }];
  }
  const due = Date.parse(status?.nextScheduleDate ?? '');
  // A run in progress keeps its date until it ends.
  if (!(now - due > overdue) || status?.progress) return [];
  const why = `The backup was due at ${status?.nextScheduleDate}, but no operator has started it.`;
  const todo = 'To see whether an etcd-backup-operator runs: kubectl etcd operators';
  return [{ ...about, urgency: 'soon', what: 'Backup overdue', why, todo }];
}

/** In milliseconds. */
const overdue = 10 * 60_000;

function restoreFinding({ metadata = {}, status }: EtcdRestore): readonly Finding[] {
  const about = { object: `etcdrestore/${metadata.name}`, namespace: metadata.namespace ?? '' };
  const { phase = '', reason = '' } = status ?? {};
  if (phase === 'Succeeded') return [];
  const todo =
    phase === ''
      ? 'To see whether an etcd-restore-operator runs: kubectl etcd operators'
      : remedyOf('EtcdRestore', phase);
  const what = phase === '' ? 'Restore not begun' : `Restore: ${phase}`;
  return [{ ...about, urgency: phase === 'Failed' || phase === '' ? 'soon' : 'later', what, why: reason, todo }];
}
