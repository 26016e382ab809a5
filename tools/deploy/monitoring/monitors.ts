// SPDX-License-Identifier: Apache-2.0
import { ruleGroups } from './alerts.ts';

const apiVersion = 'monitoring.coreos.com/v1';

/**
 * For the Prometheus operator, with every installation except the chart, which contains them: members in all
 * namespaces, and operators.
 */
export function podMonitors() {
  const anywhere = { any: true };
  return [
    {
      apiVersion,
      kind: 'PodMonitor',
      metadata: { name: 'etcd-members' },
      spec: {
        namespaceSelector: anywhere,
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
        namespaceSelector: anywhere,
        selector: { matchLabels: { 'app.kubernetes.io/part-of': 'etcd-operator' } },
        // Their series say of which namespace they are; Prometheus would put that of the operator over it.
        podMetricsEndpoints: [{ port: 'http', interval: '30s', honorLabels: true }],
      },
    },
  ];
}

export function prometheusRule() {
  return { apiVersion, kind: 'PrometheusRule', metadata: { name: 'etcd-operator' }, spec: ruleGroups() };
}
