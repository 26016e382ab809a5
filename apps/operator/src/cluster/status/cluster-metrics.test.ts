// SPDX-License-Identifier: Apache-2.0
import { MetricRegistry } from '@operator-parts/controller-runtime';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import { type Plan, planCluster, type Situation } from '../plan/plan.ts';
import { answers, type Change, healthy, nothing, now } from '../plan/testing/situations/vocabulary.ts';
import { ClusterMetrics } from './cluster-metrics.ts';

let registry: MetricRegistry;
let metrics: ClusterMetrics;

beforeEach(() => {
  registry = new MetricRegistry();
  metrics = new ClusterMetrics(registry);
});

const cluster = (uid: string, generation = 1): EtcdCluster => ({
  metadata: { name: `c-${uid}`, namespace: 'ns', uid, generation },
  spec: { size: 3 },
});
const plan = (situation: Situation): Plan => ({
  steps: [],
  waits: [],
  situation,
  identity: { kind: 'conflict', detail: '' },
  assessment: undefined,
  retryAfter: undefined,
});
const value = (series: string) =>
  registry
    .render()
    .split('\n')
    .find((line) => line.startsWith(`${series} `))
    ?.split(' ')
    .at(-1);

describe("[72] metrics under CoreOS's names, counted right", () => {
  test('a cluster counts once however often it is looked at', () => {
    for (let pass = 0; pass < 5; pass++) metrics.reconciled(cluster('a'), plan('steady'), 0.01);
    metrics.reconciled(cluster('b'), plan('steady'), 0.01);
    expect(value('etcd_operator_controller_clusters')).toBe('2');
    expect(value('etcd_operator_controller_clusters_created')).toBe('2');
    expect(value('etcd_operator_controller_clusters_modified')).toBe('0');
  });

  test('only a change of the spec is a modification', () => {
    metrics.reconciled(cluster('a', 1), plan('steady'), 0.01);
    metrics.reconciled(cluster('a', 2), plan('steady'), 0.01);
    expect(value('etcd_operator_controller_clusters_modified')).toBe('1');
  });

  test('a cluster that needs a person counts as failed once, until it is well again', () => {
    for (const situation of ['invalid', 'invalid', 'steady', 'invalid'] as const)
      metrics.reconciled(cluster('a'), plan(situation), 0.01);
    expect(value('etcd_operator_controller_clusters_failed')).toBe('2');
    expect(value('etcd_operator_cluster_reconcile_failed{Reason="invalid spec"}')).toBe('3');
  });

  test('a deleted cluster is gone from the gauge', () => {
    metrics.reconciled(cluster('a'), plan('steady'), 0.01);
    metrics.forget('a');
    metrics.forget('a');
    expect(value('etcd_operator_controller_clusters')).toBe('0');
    expect(value('etcd_operator_controller_clusters_deleted')).toBe('1');
    expect(value('etcd_operator_cluster_reconcile_duration_count{ClusterName="c-a"}')).toBeUndefined();
  });

  test('an alarm that is raised, until it is not, and until the cluster is gone', () => {
    const seen = (...given: readonly Change[]) => {
      const found = planCluster(
        given.reduce((world, change) => change(world), nothing()),
        now,
      );
      metrics.reconciled(cluster('a'), found, 0.01);
    };
    const alarm = (name: string) => value(`etcd_operator_cluster_alarm{namespace="ns",name="c-a",alarm="${name}"}`);
    seen(healthy(3), answers({ alarms: ['memberID:7 alarm:NOSPACE '] }));
    expect([alarm('NOSPACE'), alarm('CORRUPT')]).toEqual(['1', '0']);
    seen(healthy(3));
    expect([alarm('NOSPACE'), alarm('CORRUPT')]).toEqual(['0', '0']);
    metrics.forget('a');
    expect(alarm('NOSPACE')).toBeUndefined();
  });

  test("durations fall into CoreOS's buckets", () => {
    metrics.reconciled(cluster('a'), plan('steady'), 0.15);
    expect(value('etcd_operator_cluster_reconcile_duration_bucket{ClusterName="c-a",le="0.1"}')).toBe('0');
    expect(value('etcd_operator_cluster_reconcile_duration_bucket{ClusterName="c-a",le="0.2"}')).toBe('1');
    expect(value('etcd_operator_cluster_reconcile_duration_bucket{ClusterName="c-a",le="51.2"}')).toBe('1');
  });

  test('tell whether a cluster is Ready or Stalled and when its first certificate expires, until it is gone', () => {
    const labels = '{namespace="ns",name="c-a"}';
    metrics.reconciled(cluster('a'), plan('steady'), 0.01);
    metrics.reported(cluster('a'), [{ type: 'Stalled', status: 'True' }]);
    metrics.certified(cluster('a'), 90_000);
    expect(value(`etcd_operator_cluster_ready${labels}`)).toBe('0');
    expect(value(`etcd_operator_cluster_stalled${labels}`)).toBe('1');
    expect(value(`etcd_operator_cluster_certificate_expiry${labels}`)).toBe('90');
    metrics.certified(cluster('a'), Number.POSITIVE_INFINITY);
    expect(value(`etcd_operator_cluster_certificate_expiry${labels}`)).toBeUndefined();
    metrics.forget('a');
    expect(value(`etcd_operator_cluster_stalled${labels}`)).toBeUndefined();
  });
});
