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

/** Selects the metrics of members at port 2381. */
export const memberAlerts: readonly Alert[] = [
  {
    name: 'etcdMembersDown',
    expr: `sum by (${perCluster}) (${up} == bool 0) > 0`,
    for: '20m',
    severity: 'warning',
    summary: `${etcdCluster}: {{ $value }} members are down.`,
    runbook: 'node-gone',
  },
  {
    name: 'etcdInsufficientMembers',
    expr: `sum by (${perCluster}) (${up} == bool 1) < ((count by (${perCluster}) (${up}) + 1) / 2)`,
    for: '3m',
    severity: 'critical',
    summary: `${etcdCluster}: only {{ $value }} members are up, which is no quorum.`,
    runbook: 'quorum-lost',
  },
  {
    name: 'etcdNoLeader',
    expr: `etcd_server_has_leader${members} == 0`,
    for: '1m',
    severity: 'critical',
    summary: `${etcdCluster}: member {{ $labels.pod }} has no leader.`,
    runbook: 'quorum-lost',
  },
  {
    name: 'etcdHighNumberOfLeaderChanges',
    expr: `increase((max by (${perCluster}) (etcd_server_leader_changes_seen_total${members}))[15m:1m]) >= 4`,
    for: '5m',
    severity: 'warning',
    summary: `${etcdCluster}: {{ $value }} leader changes within the last 15 minutes.`,
    runbook: 'slow-disk',
  },
  {
    name: 'etcdHighNumberOfFailedGRPCRequests',
    expr: `${failedPercent} > 1`,
    for: '10m',
    severity: 'warning',
    summary: requestsFail,
    runbook: 'slow-disk',
  },
  {
    name: 'etcdHighNumberOfFailedGRPCRequests',
    expr: `${failedPercent} > 5`,
    for: '5m',
    severity: 'critical',
    summary: requestsFail,
    runbook: 'slow-disk',
  },
  {
    // Only members with ETCD_METRICS=extensive have the histogram.
    name: 'etcdGRPCRequestsSlow',
    expr: `histogram_quantile(0.99, sum by (${ofMethod}, le) (rate(grpc_server_handling_seconds_bucket{etcd_cluster!="",grpc_method!="Defragment",grpc_type="unary"}[5m]))) > 0.15`,
    for: '10m',
    severity: 'critical',
    summary: `${etcdCluster}: requests {{ $labels.grpc_method }} to member {{ $labels.pod }} take {{ $value }} s (99th percentile).`,
    runbook: 'slow-disk',
  },
  {
    name: 'etcdMemberCommunicationSlow',
    expr: `${p99('etcd_network_peer_round_trip_time_seconds')} > 0.15`,
    for: '10m',
    severity: 'warning',
    summary: `${etcdCluster}: a round trip from member {{ $labels.pod }} to member {{ $labels.To }} takes {{ $value }} s (99th percentile).`,
    runbook: 'slow-disk',
  },
  {
    name: 'etcdHighNumberOfFailedProposals',
    expr: `rate(etcd_server_proposals_failed_total${members}[15m]) > 5`,
    for: '15m',
    severity: 'warning',
    summary: `${etcdCluster}: {{ printf "%.1f" $value }} proposals per second of member {{ $labels.pod }} fail.`,
    runbook: 'slow-disk',
  },
  {
    name: 'etcdHighFsyncDurations',
    expr: `${p99('etcd_disk_wal_fsync_duration_seconds')} > 0.5`,
    for: '10m',
    severity: 'warning',
    summary: fsyncTakes,
    runbook: 'slow-disk',
  },
  {
    name: 'etcdHighFsyncDurations',
    expr: `${p99('etcd_disk_wal_fsync_duration_seconds')} > 1`,
    for: '10m',
    severity: 'critical',
    summary: fsyncTakes,
    runbook: 'slow-disk',
  },
  {
    name: 'etcdHighCommitDurations',
    expr: `${p99('etcd_disk_backend_commit_duration_seconds')} > 0.25`,
    for: '10m',
    severity: 'warning',
    summary: `${etcdCluster}: commits of member {{ $labels.pod }} take {{ $value }} s (99th percentile).`,
    runbook: 'slow-disk',
  },
  {
    name: 'etcdDatabaseQuotaLowSpace',
    expr: `(last_over_time(etcd_mvcc_db_total_size_in_bytes${members}[5m]) / last_over_time(etcd_server_quota_backend_bytes${members}[5m])) * 100 > 95`,
    for: '10m',
    severity: 'critical',
    summary: `${etcdCluster}: the database of member {{ $labels.pod }} fills {{ $value }} % of its quota.`,
    runbook: 'disk-full',
  },
  {
    name: 'etcdExcessiveDatabaseGrowth',
    expr: `predict_linear(etcd_mvcc_db_total_size_in_bytes${members}[4h], 4 * 60 * 60) > etcd_server_quota_backend_bytes${members}`,
    for: '10m',
    severity: 'warning',
    summary: `${etcdCluster}: the database of member {{ $labels.pod }} will reach its quota within four hours, as it has grown in the last four.`,
    runbook: 'disk-full',
  },
  {
    name: 'etcdDatabaseHighFragmentationRatio',
    expr: `(last_over_time(etcd_mvcc_db_total_size_in_use_in_bytes${members}[5m]) / last_over_time(etcd_mvcc_db_total_size_in_bytes${members}[5m])) < 0.5 and etcd_mvcc_db_total_size_in_use_in_bytes${members} > 104857600`,
    for: '10m',
    severity: 'warning',
    summary: `${etcdCluster}: more than half of the database of member {{ $labels.pod }} is free space; defragment it.`,
    runbook: 'disk-full',
  },
];

/** Of the operator's metrics. */
export const operatorAlerts: readonly Alert[] = [
  {
    name: 'EtcdClusterQuorumLost',
    expr: 'etcd_operator_cluster_has_quorum == 0',
    for: '1m',
    severity: 'critical',
    summary: `${ofOperator} has no quorum: clients can neither read nor write.`,
    runbook: 'quorum-lost',
  },
  {
    name: 'EtcdClusterQuorumAtRisk',
    expr: 'etcd_operator_cluster_healthy_voters <= floor(etcd_operator_cluster_members / 2) + 1 and etcd_operator_cluster_members >= 3',
    for: '10m',
    severity: 'warning',
    summary: `${ofOperator} has {{ $value }} healthy voters: one more failure loses the quorum.`,
    runbook: 'node-gone',
  },
  {
    name: 'EtcdClusterNoSpace',
    expr: 'etcd_operator_cluster_alarm{alarm="NOSPACE"} == 1',
    for: '1m',
    severity: 'critical',
    summary: `${ofOperator} refuses writes: its database has reached its quota.`,
    runbook: 'disk-full',
  },
  {
    name: 'EtcdClusterCorrupt',
    expr: 'etcd_operator_cluster_alarm{alarm="CORRUPT"} == 1',
    for: '1m',
    severity: 'critical',
    summary: `${ofOperator} refuses writes: its members hold different data.`,
    runbook: 'data-corruption',
  },
  {
    name: 'EtcdClusterStalled',
    expr: 'etcd_operator_cluster_stalled == 1',
    for: '15m',
    severity: 'warning',
    summary: `${ofOperator} does not reach its spec without a person; its condition Stalled says why.`,
    runbook: 'stalled',
  },
  {
    name: 'EtcdCertificateExpiring',
    expr: '(etcd_operator_cluster_certificate_expiry - time()) < 7 * 86400',
    for: '1h',
    severity: 'warning',
    summary: `A certificate of ${ofOperator} expires in less than 7 days.`,
    runbook: 'certificate-expired',
  },
  {
    name: 'EtcdBackupTooOld',
    expr: '(time() - etcd_operator_backup_next_schedule) > 3600',
    for: '5m',
    severity: 'critical',
    summary: 'EtcdBackup {{ $labels.namespace }}/{{ $labels.name }} is more than an hour late.',
    runbook: 'backup-too-old',
  },
  {
    name: 'EtcdBackupFailing',
    expr: 'increase(etcd_operator_backups_failure_total[1h]) > 3',
    for: '5m',
    severity: 'warning',
    summary: 'EtcdBackup {{ $labels.namespace }}/{{ $labels.name }} fails: {{ $labels.reason }}.',
    runbook: 'backup-too-old',
  },
  {
    name: 'EtcdBackupNotGood',
    expr: 'etcd_operator_backup_proof_failed > 0',
    for: '1m',
    severity: 'critical',
    summary:
      'A backup of EtcdBackup {{ $labels.namespace }}/{{ $labels.name }} failed its test restore: the backup is not good.',
    runbook: 'backup-not-proven',
  },
  {
    name: 'EtcdBackupNotProven',
    expr: 'etcd_operator_backup_last_proven_age_seconds > 8 * 86400',
    for: '1h',
    severity: 'warning',
    summary:
      'The last backup of EtcdBackup {{ $labels.namespace }}/{{ $labels.name }} that passed a test restore is more than 8 days old.',
    runbook: 'backup-not-proven',
  },
  {
    name: 'EtcdBackupRecoveryPointOld',
    expr: 'etcd_operator_backup_recovery_point_age_seconds > 300',
    for: '5m',
    severity: 'warning',
    summary:
      'Changes of the cluster of EtcdBackup {{ $labels.namespace }}/{{ $labels.name }} have not been recorded for more than 5 minutes.',
    runbook: 'backup-too-old',
  },
  {
    name: 'EtcdOperatorDown',
    expr: 'absent(etcd_operator_controller_clusters)',
    for: '10m',
    severity: 'critical',
    summary: 'No etcd-operator is scraped: clusters serve, and nothing is repaired.',
    runbook: 'operator-down',
  },
  {
    name: 'EtcdOperatorStuck',
    expr: 'controller_runtime_stuck_reconciles > 0',
    for: '10m',
    severity: 'warning',
    summary: 'Reconciliations of controller {{ $labels.controller }} do not end.',
    runbook: 'operator-down',
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
