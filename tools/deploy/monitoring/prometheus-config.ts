// SPDX-License-Identifier: Apache-2.0
import { operatorNamespaces } from './monitors.ts';

/** Labels that the Prometheus operator gives to all that it scrapes, from what Kubernetes says of a pod. */
const whose = ['namespace', 'pod'].map((label) => ({
  source_labels: [label === 'pod' ? '__meta_kubernetes_pod_name' : '__meta_kubernetes_namespace'],
  target_label: label,
}));

const running = { source_labels: ['__meta_kubernetes_pod_phase'], regex: 'Succeeded|Failed', action: 'drop' };
const port = (name: string) => ({
  source_labels: ['__meta_kubernetes_pod_container_port_name'],
  regex: name,
  action: 'keep',
});
const members = { kubernetes_sd_configs: [{ role: 'pod' }] };
const operators = { kubernetes_sd_configs: [{ role: 'pod', namespaces: { names: operatorNamespaces } }] };

/** A whole configuration for a Prometheus in a pod that no Prometheus operator configures: what the monitors say, in its own words. */
export function prometheusConfig() {
  return {
    global: { scrape_interval: '30s', evaluation_interval: '30s' },
    rule_files: ['alerts.yaml'],
    scrape_configs: [
      {
        job_name: 'etcd-members',
        ...members,
        relabel_configs: [
          { source_labels: ['__meta_kubernetes_pod_labelpresent_etcd_cluster'], regex: 'true', action: 'keep' },
          port('metrics'),
          running,
          ...whose,
          { source_labels: ['__meta_kubernetes_pod_label_etcd_cluster'], target_label: 'etcd_cluster' },
        ],
      },
      {
        job_name: 'etcd-operator',
        // Their series say of which namespace they are.
        honor_labels: true,
        ...operators,
        relabel_configs: [
          {
            source_labels: ['__meta_kubernetes_pod_label_app_kubernetes_io_part_of'],
            regex: 'etcd-operator',
            action: 'keep',
          },
          port('http'),
          running,
          ...whose,
        ],
      },
    ],
  };
}
