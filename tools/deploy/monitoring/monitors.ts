// SPDX-License-Identifier: Apache-2.0
import { ruleGroups } from './alerts.ts';

const apiVersion = 'monitoring.coreos.com/v1';

/**
 * The labels in the series of an operator are trusted, so it is scraped nowhere else: a tenant could label a pod as an operator and report
 * the clusters and backups of others.
 */
export const operatorNamespaces = ['etcd-operator'];

/**
 * For the Prometheus operator, with every installation except the chart, which contains them: members in all
 * namespaces, and operators in their own.
 */
export function podMonitors() {
  return [
    {
      apiVersion,
      kind: 'PodMonitor',
      metadata: { name: 'etcd-members' },
      spec: {
        namespaceSelector: { any: true },
        selector: { matchExpressions: [{ key: 'etcd_cluster', operator: 'Exists' }] },
        podTargetLabels: ['etcd_cluster'],
        podMetricsEndpoints: [{ port: 'metrics', interval: '30s' }],
      },
    },
    {
      apiVersion,
      kind: 'PodMonitor',
      metadata: { name: 'etcd-operator' },
      spec: {
        namespaceSelector: { matchNames: operatorNamespaces },
        selector: { matchLabels: { 'app.kubernetes.io/part-of': 'etcd-operator' } },
        // Their series say of which namespace they are; Prometheus would put that of the operator over it.
        podMetricsEndpoints: [{ port: 'http', interval: '30s', honorLabels: true }],
      },
    },
  ];
}

/** Instead of the second PodMonitor, for a Prometheus that takes ServiceMonitors only. Both are where the operator is. */
export function serviceMonitor() {
  const name = 'etcd-operator-metrics';
  const [namespace] = operatorNamespaces;
  const partOf = { 'app.kubernetes.io/part-of': 'etcd-operator' };
  const labels = { ...partOf, 'app.kubernetes.io/component': 'metrics' };
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, labels },
      spec: { selector: partOf, ports: [{ name: 'http', port: 8080, targetPort: 'http' }] },
    },
    {
      apiVersion,
      kind: 'ServiceMonitor',
      metadata: { name: 'etcd-operator', namespace },
      spec: {
        selector: { matchLabels: labels },
        endpoints: [{ port: 'http', path: '/metrics', interval: '30s', honorLabels: true }],
      },
    },
  ];
}

export function prometheusRule() {
  return { apiVersion, kind: 'PrometheusRule', metadata: { name: 'etcd-operator' }, spec: ruleGroups() };
}
