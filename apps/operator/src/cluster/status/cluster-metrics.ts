// SPDX-License-Identifier: Apache-2.0
import type { MetricRegistry } from '@operator-parts/controller-runtime';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import type { Plan, Situation } from '../plan/plan.ts';
import { alarmNames, alarmsOf } from '../plan/rolling/disruption.ts';

/** Why a reconciliation failed. A closed set, so that the label has few values. */
export type FailureReason = 'quorum lost' | 'invalid spec' | 'identity conflict' | 'step refused' | 'error';

/** The buckets of CoreOS: 0.1 s, doubled nine times. */
const reconcileBuckets = Array.from({ length: 10 }, (_, power) => 0.1 * 2 ** power);

/**
 * The metrics of CoreOS etcd-operator under the same names, but counted correctly, and current figures of every cluster, which CoreOS
 * etcd-operator did not have.
 */
export class ClusterMetrics {
  readonly #known = new Map<string, { readonly namespace: string; readonly name: string; generation: number }>();
  readonly #clusters;
  readonly #created;
  readonly #deleted;
  readonly #modified;
  readonly #failed;
  readonly #duration;
  readonly #failures;
  readonly #members;
  readonly #healthy;
  readonly #hasQuorum;
  readonly #databaseSize;
  readonly #alarm;
  readonly #ready;
  readonly #stalled;
  readonly #certificate;
  readonly #failing = new Set<string>();

  constructor(registry: MetricRegistry) {
    const perCluster = ['namespace', 'name'] as const;
    const gauge = (name: string, help: string) => registry.gauge({ name, help, labels: perCluster });
    this.#clusters = registry
      .gauge({ name: 'etcd_operator_controller_clusters', help: 'Clusters managed by this operator.' })
      .labels();
    this.#created = registry
      .counter({ name: 'etcd_operator_controller_clusters_created', help: 'Clusters seen for the first time.' })
      .labels();
    this.#deleted = registry
      .counter({ name: 'etcd_operator_controller_clusters_deleted', help: 'Clusters deleted.' })
      .labels();
    this.#modified = registry
      .counter({ name: 'etcd_operator_controller_clusters_modified', help: 'Spec changes.' })
      .labels();
    this.#failed = registry
      .counter({
        name: 'etcd_operator_controller_clusters_failed',
        help: 'Number of times that a cluster began to need manual action.',
      })
      .labels();
    this.#duration = registry.histogram({
      name: 'etcd_operator_cluster_reconcile_duration',
      help: 'Duration of a reconciliation, in seconds.',
      labels: ['ClusterName'],
      buckets: reconcileBuckets,
    });
    this.#failures = registry.counter({
      name: 'etcd_operator_cluster_reconcile_failed',
      help: 'Failed reconciliations, by reason.',
      labels: ['Reason'],
    });
    this.#members = gauge('etcd_operator_cluster_members', 'Members listed by etcd.');
    this.#healthy = gauge('etcd_operator_cluster_healthy_voters', 'Voters that are reachable and have a leader.');
    this.#hasQuorum = gauge('etcd_operator_cluster_has_quorum', '1 while a quorum of voters is reachable, else 0.');
    this.#databaseSize = gauge(
      'etcd_operator_cluster_database_bytes',
      'Size of the largest member database, in bytes.',
    );
    this.#alarm = registry.gauge({
      name: 'etcd_operator_cluster_alarm',
      help: '1 while etcd has raised the alarm and refuses writes, else 0.',
      labels: [...perCluster, 'alarm'],
    });
    this.#ready = gauge('etcd_operator_cluster_ready', '1 while the condition Ready is True, else 0.');
    this.#stalled = gauge('etcd_operator_cluster_stalled', '1 while the condition Stalled is True, else 0.');
    this.#certificate = gauge(
      'etcd_operator_cluster_certificate_expiry',
      'When the first certificate of the cluster expires, in seconds since 1970.',
    );
  }

  /** Records the conditions in the reported status. */
  reported({ metadata }: EtcdCluster, conditions: readonly { readonly type: string; readonly status: string }[]): void {
    const { namespace = '', name = '' } = metadata ?? {};
    const is = (type: string) => conditions.some((one) => one.type === type && one.status === 'True');
    this.#ready.labels(namespace, name).set(is('Ready') ? 1 : 0);
    this.#stalled.labels(namespace, name).set(is('Stalled') ? 1 : 0);
  }

  /** Records when the first certificate expires, in milliseconds since the epoch; infinite if there is none. */
  certified({ metadata }: EtcdCluster, expiresAt: number): void {
    const { namespace = '', name = '' } = metadata ?? {};
    if (Number.isFinite(expiresAt)) this.#certificate.labels(namespace, name).set(expiresAt / 1000);
    else this.#certificate.remove(namespace, name);
  }

  /** Records the end of a reconciliation. */
  reconciled(cluster: EtcdCluster, plan: Plan, seconds: number): void {
    const { namespace = '', name = '', uid = '', generation = 0 } = cluster.metadata ?? {};
    const known = this.#known.get(uid);
    if (!known) {
      this.#created.inc();
      this.#known.set(uid, { namespace, name, generation });
      this.#clusters.inc();
    } else if (known.generation !== generation) {
      this.#modified.inc();
      known.generation = generation;
    }
    this.#duration.labels(name).observe(seconds);
    this.#count(uid, plan.situation);
    this.#show(namespace, name, plan);
  }

  /** Records a reconciliation that found no change: all figures stay as they are. */
  unchanged({ metadata }: EtcdCluster, seconds: number): void {
    this.#duration.labels(metadata?.name ?? '').observe(seconds);
  }

  failed(reason: FailureReason): void {
    this.#failures.labels(reason).inc();
  }

  /** Forgets a cluster that is gone, or that this operator no longer manages. */
  forget(uid: string): void {
    const known = this.#known.get(uid);
    if (!known) return;
    this.#known.delete(uid);
    this.#failing.delete(uid);
    this.#deleted.inc();
    this.#clusters.dec();
    this.#duration.remove(known.name);
    const gauges = [this.#members, this.#healthy, this.#hasQuorum, this.#databaseSize];
    for (const gauge of [...gauges, this.#ready, this.#stalled, this.#certificate])
      gauge.remove(known.namespace, known.name);
    for (const alarm of alarmNames) this.#alarm.remove(known.namespace, known.name, alarm);
  }

  #count(uid: string, situation: Situation): void {
    const reason = reasonOf(situation);
    if (!reason) {
      this.#failing.delete(uid);
      return;
    }
    this.failed(reason);
    if (!this.#failing.has(uid)) this.#failed.inc();
    this.#failing.add(uid);
  }

  #show(namespace: string, name: string, { assessment }: Plan): void {
    if (!assessment) return;
    const { members, healthyVoters, hasQuorum, membershipKnown } = assessment;
    const sizes = members.map(({ answer }) => (answer?.kind === 'status' ? answer.dbSize : 0));
    if (membershipKnown) this.#members.labels(namespace, name).set(members.length);
    this.#healthy.labels(namespace, name).set(healthyVoters.length);
    this.#hasQuorum.labels(namespace, name).set(hasQuorum ? 1 : 0);
    this.#databaseSize.labels(namespace, name).set(Math.max(0, ...sizes));
    const raised = alarmsOf(assessment);
    for (const alarm of alarmNames) this.#alarm.labels(namespace, name, alarm).set(raised.includes(alarm) ? 1 : 0);
  }
}

function reasonOf(situation: Situation): FailureReason | undefined {
  switch (situation) {
    case 'quorumLost':
      return 'quorum lost';
    case 'invalid':
      return 'invalid spec';
    case 'identityConflict':
      return 'identity conflict';
    case 'deleting':
    case 'paused':
    case 'coreosOperator':
    case 'refused':
    case 'restoring':
    case 'locked':
    case 'bootstrapping':
    case 'unreachable':
    case 'healing':
    case 'scalingUp':
    case 'scalingDown':
    case 'upgrading':
    case 'updating':
    case 'steady':
      return undefined;
  }
}
