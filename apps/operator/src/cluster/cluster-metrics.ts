// SPDX-License-Identifier: Apache-2.0
import type { MetricRegistry } from '@etcd-operator/controller-runtime';
import type { EtcdCluster } from '../api/etcd-cluster.ts';
import { alarmNames, alarmsOf } from './plan/disruption.ts';
import type { Plan, Situation } from './plan/plan.ts';

/** Why a pass did not end well; a closed set, so that the label stays small. */
export type FailureReason = 'quorum lost' | 'invalid spec' | 'identity conflict' | 'step refused' | 'error';

/** The original's buckets: 0.1 s doubling nine times. */
const reconcileBuckets = Array.from({ length: 10 }, (_, power) => 0.1 * 2 ** power);

/**
 * The original operator's metrics under their names, counted right, and what it lacked: live figures of every cluster. Those
 * move by themselves and are shown here instead of in status.
 */
export class ClusterMetrics {
  readonly #known = new Map<string, { readonly namespace: string; readonly name: string; generation: number }>();
  readonly #clusters;
  readonly #created;
  readonly #deleted;
  readonly #modified;
  readonly #failed;
  readonly #duration;
  readonly #unwell;
  readonly #members;
  readonly #healthy;
  readonly #hasQuorum;
  readonly #databaseSize;
  readonly #alarm;
  readonly #failing = new Set<string>();

  constructor(registry: MetricRegistry) {
    const perCluster = ['namespace', 'name'] as const;
    this.#clusters = registry.gauge({ name: 'etcd_operator_controller_clusters', help: 'Clusters managed' }).labels();
    this.#created = registry
      .counter({ name: 'etcd_operator_controller_clusters_created', help: 'Clusters seen for the first time' })
      .labels();
    this.#deleted = registry
      .counter({ name: 'etcd_operator_controller_clusters_deleted', help: 'Clusters deleted' })
      .labels();
    this.#modified = registry
      .counter({ name: 'etcd_operator_controller_clusters_modified', help: 'Changes of specs' })
      .labels();
    this.#failed = registry
      .counter({ name: 'etcd_operator_controller_clusters_failed', help: 'Clusters that came to need a person' })
      .labels();
    this.#duration = registry.histogram({
      name: 'etcd_operator_cluster_reconcile_duration',
      help: 'Seconds of a pass over a cluster',
      labels: ['ClusterName'],
      buckets: reconcileBuckets,
    });
    this.#unwell = registry.counter({
      name: 'etcd_operator_cluster_reconcile_failed',
      help: 'Passes that did not end well',
      labels: ['Reason'],
    });
    this.#members = registry.gauge({
      name: 'etcd_operator_cluster_members',
      help: 'Members etcd lists',
      labels: perCluster,
    });
    this.#healthy = registry.gauge({
      name: 'etcd_operator_cluster_healthy_voters',
      help: 'Voters that answer and know a leader',
      labels: perCluster,
    });
    this.#hasQuorum = registry.gauge({
      name: 'etcd_operator_cluster_has_quorum',
      help: '1 while a quorum of voters answers',
      labels: perCluster,
    });
    this.#databaseSize = registry.gauge({
      name: 'etcd_operator_cluster_database_bytes',
      help: 'Largest database of a member',
      labels: perCluster,
    });
    this.#alarm = registry.gauge({
      name: 'etcd_operator_cluster_alarm',
      help: '1 while etcd has raised the alarm and refuses writes',
      labels: [...perCluster, 'alarm'],
    });
  }

  /** A pass over a cluster has ended. */
  passed(cluster: EtcdCluster, plan: Plan, seconds: number): void {
    const { namespace = '', name = '', uid = '', generation = 0 } = cluster.metadata ?? {};
    const known = this.#known.get(uid);
    if (!known) {
      this.#created.inc();
      this.#known.set(uid, { namespace, name, generation });
      this.#clusters.set(this.#known.size);
    } else if (known.generation !== generation) {
      this.#modified.inc();
      known.generation = generation;
    }
    this.#duration.labels(name).observe(seconds);
    this.#count(uid, plan.situation);
    this.#show(namespace, name, plan);
  }

  /** A look has found nothing new: all figures are what they were. */
  rested({ metadata }: EtcdCluster, seconds: number): void {
    this.#duration.labels(metadata?.name ?? '').observe(seconds);
  }

  failed(reason: FailureReason): void {
    this.#unwell.labels(reason).inc();
  }

  /** A cluster is gone, or no longer this operator's. */
  forget(uid: string): void {
    const known = this.#known.get(uid);
    if (!known) return;
    this.#known.delete(uid);
    this.#failing.delete(uid);
    this.#deleted.inc();
    this.#clusters.set(this.#known.size);
    this.#duration.remove(known.name);
    for (const gauge of [this.#members, this.#healthy, this.#hasQuorum, this.#databaseSize])
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
    default:
      return undefined;
  }
}
