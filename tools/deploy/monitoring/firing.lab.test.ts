// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ensurePart } from '../../parts/ensure-part.ts';
import { repositoryRoot } from '../../repository-root.ts';
import { memberAlerts, operatorAlerts, ruleGroups } from './alerts.ts';

/** Series that make an alert fire after two hours, and the alert's labels. */
interface Firing {
  /** Series with their values, in the notation of promtool; a sample each minute. */
  readonly series: Readonly<Record<string, string>>;
  /** Labels of the alert, except its severity. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value?: string;
  /** Series that must not fire it. */
  readonly well: Readonly<Record<string, string>>;
  /** The severities of the alerts of this name that fire. @default all that there are */
  readonly severities?: readonly string[];
}

const member = (pod: string, more = '') => `{namespace="n",etcd_cluster="c",pod="${pod}"${more}}`;
const ofCluster = { namespace: 'n', etcd_cluster: 'c' };
const ofMember = { ...ofCluster, pod: 'a' };
const ofOperator = { namespace: 'n', name: 'c' };
const named = '{namespace="n",name="c"}';
const up = (...values: readonly number[]) =>
  Object.fromEntries(values.map((value, index) => [`up${member('abc'[index] ?? '')}`, `${value}x150`]));
const slow = (histogram: string, fast: string, long: string) => ({
  [`${histogram}_bucket${member('a', `,le="${fast}"`)}`]: '0x150',
  [`${histogram}_bucket${member('a', `,le="${long}"`)}`]: '0+60x150',
  [`${histogram}_bucket${member('a', ',le="+Inf"')}`]: '0+60x150',
});
const quick = (histogram: string) => ({
  [`${histogram}_bucket${member('a', ',le="0.01"')}`]: '0+60x150',
  [`${histogram}_bucket${member('a', ',le="+Inf"')}`]: '0+60x150',
});
const requests = (failing: number) => ({
  [`grpc_server_handled_total${member('a', ',grpc_method="Put",grpc_service="s",grpc_code="OK"')}`]: `0+${100 - failing}x150`,
  [`grpc_server_handled_total${member('a', ',grpc_method="Put",grpc_service="s",grpc_code="Unavailable"')}`]: `0+${failing}x150`,
});
const ofRequests = { ...ofMember, grpc_method: 'Put', grpc_service: 's' };
const put = ',grpc_type="unary",grpc_method="Put",grpc_service="s"';
const answeredWithin = (seconds: string) => ({
  [`grpc_server_handling_seconds_bucket${member('a', `${put},le="0.01"`)}`]: seconds === '0.01' ? '0+60x150' : '0x150',
  [`grpc_server_handling_seconds_bucket${member('a', `${put},le="0.2"`)}`]: '0+60x150',
  [`grpc_server_handling_seconds_bucket${member('a', `${put},le="+Inf"`)}`]: '0+60x150',
});
const roundTrip = 'etcd_network_peer_round_trip_time_seconds';
const toB = (series: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(series).map(([name, values]) => [name.replace('{', '{To="b",'), values]));
const growth = (bytesPerMinute: number) => ({
  [`etcd_mvcc_db_total_size_in_bytes${member('a')}`]: `1000+${bytesPerMinute}x150`,
  [`etcd_server_quota_backend_bytes${member('a')}`]: '10000x150',
});
const sizes = (inUse: number, total: number) => ({
  [`etcd_mvcc_db_total_size_in_use_in_bytes${member('a')}`]: `${inUse}x150`,
  [`etcd_mvcc_db_total_size_in_bytes${member('a')}`]: `${total}x150`,
});
const alarm = (name: string, value: number) => ({
  [`etcd_operator_cluster_alarm{namespace="n",name="c",alarm="${name}"}`]: `${value}x150`,
});
const voters = (healthy: number) => ({
  [`etcd_operator_cluster_healthy_voters${named}`]: `${healthy}x150`,
  [`etcd_operator_cluster_members${named}`]: '3x150',
});
const one = (series: string, values: string) => ({ [series]: values });
const failures = 'etcd_operator_backups_failure_total{namespace="n",name="c",reason="Timeout"}';

const firings: Readonly<Record<string, Firing>> = {
  etcdMembersDown: { series: up(1, 1, 0), labels: ofCluster, value: '1', well: up(1, 1, 1) },
  etcdInsufficientMembers: { series: up(1, 0, 0), labels: ofCluster, value: '1', well: up(1, 1, 0) },
  etcdNoLeader: {
    series: one(`etcd_server_has_leader${member('a')}`, '0x150'),
    labels: ofMember,
    well: one(`etcd_server_has_leader${member('a')}`, '1x150'),
  },
  etcdHighNumberOfLeaderChanges: {
    series: one(`etcd_server_leader_changes_seen_total${member('a')}`, '0+1x150'),
    labels: ofCluster,
    value: '15',
    well: one(`etcd_server_leader_changes_seen_total${member('a')}`, '3x150'),
  },
  'etcdHighNumberOfFailedGRPCRequests: warning': {
    series: requests(4),
    labels: ofRequests,
    value: '4.0',
    well: requests(0),
    severities: ['warning'],
  },
  'etcdHighNumberOfFailedGRPCRequests: critical': {
    series: requests(10),
    labels: ofRequests,
    value: '10.0',
    well: requests(0),
  },
  etcdGRPCRequestsSlow: {
    series: answeredWithin('0.2'),
    labels: ofRequests,
    value: '0.1981',
    well: answeredWithin('0.01'),
  },
  etcdMemberCommunicationSlow: {
    series: toB(slow(roundTrip, '0.2', '0.4')),
    labels: { ...ofMember, To: 'b' },
    value: '0.398',
    well: toB(quick(roundTrip)),
  },
  etcdHighNumberOfFailedProposals: {
    series: one(`etcd_server_proposals_failed_total${member('a')}`, '0+600x150'),
    labels: ofMember,
    value: '10.0',
    well: one(`etcd_server_proposals_failed_total${member('a')}`, '0+60x150'),
  },
  'etcdHighFsyncDurations: warning': {
    series: slow('etcd_disk_wal_fsync_duration_seconds', '0.5', '1'),
    labels: ofMember,
    value: '0.995',
    well: quick('etcd_disk_wal_fsync_duration_seconds'),
    severities: ['warning'],
  },
  'etcdHighFsyncDurations: critical': {
    series: slow('etcd_disk_wal_fsync_duration_seconds', '1', '2'),
    labels: ofMember,
    value: '1.99',
    well: quick('etcd_disk_wal_fsync_duration_seconds'),
  },
  etcdHighCommitDurations: {
    series: slow('etcd_disk_backend_commit_duration_seconds', '0.25', '0.5'),
    labels: ofMember,
    value: '0.4975',
    well: quick('etcd_disk_backend_commit_duration_seconds'),
  },
  etcdDatabaseQuotaLowSpace: {
    series: { ...sizes(96, 96), ...one(`etcd_server_quota_backend_bytes${member('a')}`, '100x150') },
    labels: ofMember,
    value: '96',
    well: { ...sizes(50, 50), ...one(`etcd_server_quota_backend_bytes${member('a')}`, '100x150') },
  },
  etcdExcessiveDatabaseGrowth: { series: growth(50), labels: ofMember, well: growth(10) },
  etcdDatabaseHighFragmentationRatio: {
    series: sizes(200_000_000, 500_000_000),
    labels: ofMember,
    well: sizes(400_000_000, 500_000_000),
  },
  EtcdClusterQuorumLost: {
    series: one(`etcd_operator_cluster_has_quorum${named}`, '0x150'),
    labels: ofOperator,
    well: one(`etcd_operator_cluster_has_quorum${named}`, '1x150'),
  },
  EtcdClusterQuorumAtRisk: { series: voters(2), labels: ofOperator, value: '2', well: voters(3) },
  EtcdClusterNoSpace: {
    series: alarm('NOSPACE', 1),
    labels: { ...ofOperator, alarm: 'NOSPACE' },
    well: alarm('NOSPACE', 0),
  },
  EtcdClusterCorrupt: {
    series: alarm('CORRUPT', 1),
    labels: { ...ofOperator, alarm: 'CORRUPT' },
    well: alarm('CORRUPT', 0),
  },
  EtcdClusterStalled: {
    series: one(`etcd_operator_cluster_stalled${named}`, '1x150'),
    labels: ofOperator,
    well: one(`etcd_operator_cluster_stalled${named}`, '0x150'),
  },
  EtcdCertificateExpiring: {
    series: one(`etcd_operator_cluster_certificate_expiry${named}`, '86400x150'),
    labels: ofOperator,
    well: one(`etcd_operator_cluster_certificate_expiry${named}`, '8640000x150'),
  },
  EtcdBackupTooOld: {
    series: one(`etcd_operator_backup_next_schedule${named}`, '0x150'),
    labels: ofOperator,
    well: one(`etcd_operator_backup_next_schedule${named}`, '86400x150'),
  },
  EtcdBackupFailing: {
    series: one(failures, '0+1x150'),
    labels: { ...ofOperator, reason: 'Timeout' },
    well: one(failures, '2x150'),
  },
  EtcdBackupNotGood: {
    series: one(`etcd_operator_backup_proof_failed${named}`, '1x150'),
    labels: ofOperator,
    well: one(`etcd_operator_backup_proof_failed${named}`, '0x150'),
  },
  EtcdBackupNotProven: {
    series: one(`etcd_operator_backup_last_proven_age_seconds${named}`, '691201x150'),
    labels: ofOperator,
    well: one(`etcd_operator_backup_last_proven_age_seconds${named}`, '604800x150'),
  },
  EtcdBackupRecoveryPointOld: {
    series: one(`etcd_operator_backup_recovery_point_age_seconds${named}`, '301x150'),
    labels: ofOperator,
    well: one(`etcd_operator_backup_recovery_point_age_seconds${named}`, '5x150'),
  },
  EtcdOperatorDown: { series: up(1), labels: {}, well: one('etcd_operator_controller_clusters', '0x150') },
  EtcdOperatorStuck: {
    series: one('controller_runtime_stuck_reconciles{controller="x"}', '1x150'),
    labels: { controller: 'x' },
    well: one('controller_runtime_stuck_reconciles{controller="x"}', '0x150'),
  },
};

const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rules = ruleGroups().groups.flatMap((group) => group.rules);

function expected(alert: string, { labels, value = '', severities }: Firing) {
  const named = rules.filter((rule) => rule.alert === alert);
  const fire = named.filter((rule) => severities?.includes(rule.labels.severity) ?? true);
  return fire.map((rule) => {
    const summary = Object.entries(labels)
      .reduce((text, [label, word]) => text.replaceAll(`{{ $labels.${label} }}`, word), rule.annotations.summary)
      .replaceAll(/\{\{ (?:printf "%.1f" )?\$value \}\}/g, value);
    return { exp_labels: { ...labels, ...rule.labels }, exp_annotations: { ...rule.annotations, summary } };
  });
}

async function complaintsOf(alert: string, firing: Firing): Promise<string> {
  const judge = (series: Firing['series'], alerts: readonly object[]) => ({
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: '2h', alertname: alert, exp_alerts: alerts }],
  });
  const file = join(folder, `${alert}-${firing.severities?.join('-') ?? 'all'}.json`);
  const content = {
    rule_files: [join(repositoryRoot, 'deploy/monitoring/alerts.yaml')],
    evaluation_interval: '1m',
    tests: [judge(firing.series, expected(alert, firing)), judge(firing.well, [])],
  };
  writeFileSync(file, JSON.stringify(content));
  const program = (await ensurePart('promtool')).programs['promtool'] ?? '';
  const { status, stdout, stderr } = spawnSync(program, ['test', 'rules', file], { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

test('every alert has something that makes it fire', () => {
  const alerts = [...memberAlerts, ...operatorAlerts];
  const isTwice = (name: string) => alerts.filter((alert) => alert.name === name).length > 1;
  expect(Object.keys(firings)).toEqual(
    alerts.map(({ name, severity }) => (isTwice(name) ? `${name}: ${severity}` : name)),
  );
});

test.each(Object.entries(firings))(
  '%s fires in Prometheus, and only when it should',
  async (alert, firing) => {
    expect(await complaintsOf(alert.split(': ')[0] ?? '', firing)).toBe('');
  },
  600_000,
);
