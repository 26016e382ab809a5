// SPDX-License-Identifier: Apache-2.0

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly queries: Readonly<Record<string, string>>;
}

const panel = (title: string, unit: string, queries: Panel['queries']): Panel => ({ title, unit, queries });

const chosen = '{namespace=~"$namespace", etcd_cluster=~"$cluster"}';
const ofOperator = '{namespace=~"$namespace", name=~"$cluster"}';
const p99 = (histogram: string) => `histogram_quantile(0.99, rate(${histogram}_bucket${chosen}[5m]))`;

/** Two in a row, the first ones at the top. */
export const panels: readonly Panel[] = [
  panel('Has quorum', 'bool_yes_no', { '{{namespace}}/{{name}}': `etcd_operator_cluster_has_quorum${ofOperator}` }),
  panel('Stalled', 'bool_yes_no', { '{{namespace}}/{{name}}': `etcd_operator_cluster_stalled${ofOperator}` }),
  panel('Members and healthy voters', 'short', {
    'members {{name}}': `etcd_operator_cluster_members${ofOperator}`,
    'healthy {{name}}': `etcd_operator_cluster_healthy_voters${ofOperator}`,
  }),
  panel('Leader changes', 'short', { '{{pod}}': `increase(etcd_server_leader_changes_seen_total${chosen}[15m])` }),
  panel('Database size and quota', 'bytes', {
    'size {{pod}}': `etcd_mvcc_db_total_size_in_bytes${chosen}`,
    'in use {{pod}}': `etcd_mvcc_db_total_size_in_use_in_bytes${chosen}`,
    'quota {{pod}}': `etcd_server_quota_backend_bytes${chosen}`,
  }),
  panel('WAL fsync, 99th percentile', 's', { '{{pod}}': p99('etcd_disk_wal_fsync_duration_seconds') }),
  panel('Backend commit, 99th percentile', 's', { '{{pod}}': p99('etcd_disk_backend_commit_duration_seconds') }),
  panel('Peer round trip, 99th percentile', 's', {
    '{{pod}} to {{To}}': p99('etcd_network_peer_round_trip_time_seconds'),
  }),
  panel('Proposals', 'ops', { '{{pod}}': `rate(etcd_server_proposals_committed_total${chosen}[5m])` }),
  panel('Age of the last backup', 's', {
    '{{namespace}}/{{name}}': 'etcd_operator_backup_last_success_age_seconds{namespace=~"$namespace"}',
  }),
  panel('Failed backups', 'short', {
    '{{name}} {{reason}}': 'increase(etcd_operator_backups_failure_total{namespace=~"$namespace"}[1h])',
  }),
  panel('Reconciliation errors', 'ops', { '{{controller}}': 'rate(controller_runtime_reconcile_errors_total[5m])' }),
];

/** A Grafana dashboard for import. */
export function dashboard() {
  const variable = (name: string, query: string) => ({
    name,
    type: 'query',
    datasource,
    query,
    multi: true,
    includeAll: true,
    allValue: '.*',
    refresh: 2,
    current: { text: 'All', value: '$__all' },
  });
  return {
    title: 'etcd-operator',
    uid: 'etcd-operator',
    tags: ['etcd'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus' },
        variable('namespace', 'label_values(etcd_operator_cluster_members, namespace)'),
        variable('cluster', 'label_values(etcd_operator_cluster_members{namespace=~"$namespace"}, name)'),
      ],
    },
    panels: panels.map(({ title, unit, queries }, index) => ({
      id: index + 1,
      type: 'timeseries',
      title,
      datasource,
      gridPos: { h: 8, w: 12, x: (index % 2) * 12, y: Math.floor(index / 2) * 8 },
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: Object.entries(queries).map(([legendFormat, expr], target) => ({
        refId: String.fromCharCode(65 + target),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  };
}

const datasource = { type: 'prometheus', uid: '$datasource' };
