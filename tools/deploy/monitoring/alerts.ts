// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../repository-root.ts';

/**
 * One alert. Those of members are the alerts of etcd's own mixin: names, thresholds, times and severities are its. It aggregates without the
 * labels of an instance, which it is told; here the labels that are left are named. `etcdMembersDown` counts members that are not scraped,
 * and not also those that the others cannot send to: a member that is replaced is such a one for a while.
 */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  /** A page of docs/guide/runbooks, without its ending. */
  readonly runbook: string;
}

/** Labels of a member's series, as the PodMonitor sets them. */
const perCluster = 'namespace, etcd_cluster';
const members = '{etcd_cluster!=""}';
const up = `up${members}`;
const etcdCluster = 'etcd cluster {{ $labels.namespace }}/{{ $labels.etcd_cluster }}';
const ofOperator = 'EtcdCluster {{ $labels.namespace }}/{{ $labels.name }}';

const p99 = (histogram: string) => `histogram_quantile(0.99, rate(${histogram}_bucket${members}[5m]))`;

const ofMethod = 'namespace, etcd_cluster, pod, grpc_service, grpc_method';
const failed = 'Unknown|FailedPrecondition|ResourceExhausted|Internal|Unavailable|DataLoss|DeadlineExceeded';
const handled = (code = '') => `sum by (${ofMethod}) (rate(grpc_server_handled_total{etcd_cluster!=""${code}}[5m]))`;
const failedPercent = `100 * ${handled(`,grpc_code=~"${failed}"`)} / ${handled()}`;
const requestsFail = `${etcdCluster}: {{ printf "%.1f" $value }} % of the requests {{ $labels.grpc_method }} to member {{ $labels.pod }} fail.`;
const fsyncTakes = `${etcdCluster}: fsync of member {{ $labels.pod }} takes {{ $value }} s (99th percentile).`;

type Urgency = Pick<Alert, 'for' | 'severity' | 'runbook'>;
const warning = (after: string, runbook: string): Urgency => ({ for: after, severity: 'warning', runbook });
const critical = (after: string, runbook: string): Urgency => ({ for: after, severity: 'critical', runbook });

/** Selects the metrics of members at port 2381. */
export const memberAlerts: readonly Alert[] = [
  {
    name: 'etcdMembersDown',
    expr: `sum by (${perCluster}) (${up} == bool 0) > 0`,
    ...warning('20m', 'node-gone'),
    summary: `${etcdCluster}: {{ $value }} members are down.`,
  },
  {
    name: 'etcdInsufficientMembers',
    expr: `sum by (${perCluster}) (${up} == bool 1) < ((count by (${perCluster}) (${up}) + 1) / 2)`,
    ...critical('3m', 'quorum-lost'),
    summary: `${etcdCluster}: only {{ $value }} members are up, which is no quorum.`,
  },
  {
    name: 'etcdNoLeader',
    expr: `etcd_server_has_leader${members} == 0`,
    ...critical('1m', 'quorum-lost'),
    summary: `${etcdCluster}: member {{ $labels.pod }} has no leader.`,
  },
  {
    name: 'etcdHighNumberOfLeaderChanges',
    expr: `increase((max by (${perCluster}) (etcd_server_leader_changes_seen_total${members}))[15m:1m]) >= 4`,
    ...warning('5m', 'slow-disk'),
    summary: `${etcdCluster}: {{ $value }} leader changes within the last 15 minutes.`,
  },
  {
    name: 'etcdHighNumberOfFailedGRPCRequests',
    expr: `${failedPercent} > 1`,
    ...warning('10m', 'slow-disk'),
    summary: requestsFail,
  },
  {
    name: 'etcdHighNumberOfFailedGRPCRequests',
    expr: `${failedPercent} > 5`,
    ...critical('5m', 'slow-disk'),
    summary: requestsFail,
  },
  {
    // Only members with ETCD_METRICS=extensive have the histogram.
    name: 'etcdGRPCRequestsSlow',
    expr: `histogram_quantile(0.99, sum by (${ofMethod}, le) (rate(grpc_server_handling_seconds_bucket{etcd_cluster!="",grpc_method!="Defragment",grpc_type="unary"}[5m]))) > 0.15`,
    ...critical('10m', 'slow-disk'),
    summary: `${etcdCluster}: requests {{ $labels.grpc_method }} to member {{ $labels.pod }} take {{ $value }} s (99th percentile).`,
  },
  {
    name: 'etcdMemberCommunicationSlow',
    expr: `${p99('etcd_network_peer_round_trip_time_seconds')} > 0.15`,
    ...warning('10m', 'slow-disk'),
    summary: `${etcdCluster}: a round trip from member {{ $labels.pod }} to member {{ $labels.To }} takes {{ $value }} s (99th percentile).`,
  },
  {
    name: 'etcdHighNumberOfFailedProposals',
    expr: `rate(etcd_server_proposals_failed_total${members}[15m]) > 5`,
    ...warning('15m', 'slow-disk'),
    summary: `${etcdCluster}: {{ printf "%.1f" $value }} proposals per second of member {{ $labels.pod }} fail.`,
  },
  {
    name: 'etcdHighFsyncDurations',
    expr: `${p99('etcd_disk_wal_fsync_duration_seconds')} > 0.5`,
    ...warning('10m', 'slow-disk'),
    summary: fsyncTakes,
  },
  {
    name: 'etcdHighFsyncDurations',
    expr: `${p99('etcd_disk_wal_fsync_duration_seconds')} > 1`,
    ...critical('10m', 'slow-disk'),
    summary: fsyncTakes,
  },
  {
    name: 'etcdHighCommitDurations',
    expr: `${p99('etcd_disk_backend_commit_duration_seconds')} > 0.25`,
    ...warning('10m', 'slow-disk'),
    summary: `${etcdCluster}: commits of member {{ $labels.pod }} take {{ $value }} s (99th percentile).`,
  },
  {
    name: 'etcdDatabaseQuotaLowSpace',
    expr: `(last_over_time(etcd_mvcc_db_total_size_in_bytes${members}[5m]) / last_over_time(etcd_server_quota_backend_bytes${members}[5m])) * 100 > 95`,
    ...critical('10m', 'disk-full'),
    summary: `${etcdCluster}: the database of member {{ $labels.pod }} fills {{ $value }} % of its quota.`,
  },
  {
    name: 'etcdExcessiveDatabaseGrowth',
    expr: `predict_linear(etcd_mvcc_db_total_size_in_bytes${members}[4h], 4 * 60 * 60) > etcd_server_quota_backend_bytes${members}`,
    ...warning('10m', 'disk-full'),
    summary: `${etcdCluster}: the database of member {{ $labels.pod }} will reach its quota within four hours, as it has grown in the last four.`,
  },
  {
    name: 'etcdDatabaseHighFragmentationRatio',
    expr: `(last_over_time(etcd_mvcc_db_total_size_in_use_in_bytes${members}[5m]) / last_over_time(etcd_mvcc_db_total_size_in_bytes${members}[5m])) < 0.5 and etcd_mvcc_db_total_size_in_use_in_bytes${members} > 104857600`,
    ...warning('10m', 'disk-full'),
    summary: `${etcdCluster}: more than half of the database of member {{ $labels.pod }} is free space; defragment it.`,
  },
];

/** Of the operator's metrics. */
export const operatorAlerts: readonly Alert[] = [
  {
    name: 'EtcdClusterQuorumLost',
    expr: 'etcd_operator_cluster_has_quorum == 0',
    ...critical('1m', 'quorum-lost'),
    summary: `${ofOperator} has no quorum: clients can neither read nor write.`,
  },
  {
    name: 'EtcdClusterQuorumAtRisk',
    expr: 'etcd_operator_cluster_healthy_voters <= floor(etcd_operator_cluster_members / 2) + 1 and etcd_operator_cluster_members >= 3',
    ...warning('10m', 'node-gone'),
    summary: `${ofOperator} has {{ $value }} healthy voters: one more failure loses the quorum.`,
  },
  {
    name: 'EtcdClusterNoSpace',
    expr: 'etcd_operator_cluster_alarm{alarm="NOSPACE"} == 1',
    ...critical('1m', 'disk-full'),
    summary: `${ofOperator} refuses writes: its database has reached its quota.`,
  },
  {
    name: 'EtcdClusterCorrupt',
    expr: 'etcd_operator_cluster_alarm{alarm="CORRUPT"} == 1',
    ...critical('1m', 'data-corruption'),
    summary: `${ofOperator} refuses writes: its members hold different data.`,
  },
  {
    name: 'EtcdClusterStalled',
    expr: 'etcd_operator_cluster_stalled == 1',
    ...warning('15m', 'stalled'),
    summary: `${ofOperator} does not reach its spec without a person; its condition Stalled says why.`,
  },
  {
    name: 'EtcdCertificateExpiring',
    expr: '(etcd_operator_cluster_certificate_expiry - time()) < 7 * 86400',
    ...warning('1h', 'certificate-expired'),
    summary: `A certificate of ${ofOperator} expires in less than 7 days.`,
  },
  {
    name: 'EtcdBackupTooOld',
    expr: '(time() - etcd_operator_backup_next_schedule) > 3600',
    ...critical('5m', 'backup-too-old'),
    summary: 'EtcdBackup {{ $labels.namespace }}/{{ $labels.name }} is more than an hour late.',
  },
  {
    name: 'EtcdBackupFailing',
    expr: 'increase(etcd_operator_backups_failure_total[1h]) > 3',
    ...warning('5m', 'backup-too-old'),
    summary: 'EtcdBackup {{ $labels.namespace }}/{{ $labels.name }} fails: {{ $labels.reason }}.',
  },
  {
    name: 'EtcdBackupNotGood',
    expr: 'etcd_operator_backup_proof_failed > 0',
    ...critical('1m', 'backup-not-proven'),
    summary:
      'A backup of EtcdBackup {{ $labels.namespace }}/{{ $labels.name }} failed its test restore: the backup is not good.',
  },
  {
    name: 'EtcdBackupNotProven',
    expr: 'etcd_operator_backup_last_proven_age_seconds > 8 * 86400',
    ...warning('1h', 'backup-not-proven'),
    summary:
      'The last backup of EtcdBackup {{ $labels.namespace }}/{{ $labels.name }} that passed a test restore is more than 8 days old.',
  },
  {
    name: 'EtcdBackupRecoveryPointOld',
    expr: 'etcd_operator_backup_recovery_point_age_seconds > 300',
    ...warning('5m', 'backup-too-old'),
    summary:
      'Changes of the cluster of EtcdBackup {{ $labels.namespace }}/{{ $labels.name }} have not been recorded for more than 5 minutes.',
  },
  {
    name: 'EtcdOperatorDown',
    expr: 'absent(etcd_operator_controller_clusters)',
    ...critical('10m', 'operator-down'),
    summary: 'No etcd-operator is scraped: clusters serve, and nothing is repaired.',
  },
  {
    name: 'EtcdOperatorStuck',
    expr: 'controller_runtime_stuck_reconciles > 0',
    ...warning('10m', 'operator-down'),
    summary: 'Reconciliations of controller {{ $labels.controller }} do not end.',
  },
];

const { repository } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
  readonly repository: { readonly url: string };
};

/** Where runbooks are, unless the chart is told otherwise: in the repository that package.json names. */
const runbookBase = `${repository.url.replace(/^git\+|\.git$/g, '')}/docs/guide/runbooks`;

/** The groups of a rule file, or of `spec` of a PrometheusRule. */
export function ruleGroups() {
  const group = (name: string, alerts: readonly Alert[]) => ({ name, rules: alerts.map(rule) });
  return { groups: [group('etcd', memberAlerts), group('etcd-operator', operatorAlerts)] };
}

function rule({ name, expr, for: duration, severity, summary, runbook }: Alert) {
  return {
    alert: name,
    expr,
    for: duration,
    labels: { severity },
    annotations: { summary, runbook_url: `${runbookBase}/${runbook}.md` },
  };
}
