// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { repositoryRoot } from '../../repository-root.ts';
import { deployment } from '../operator-objects.ts';
import { memberAlerts, operatorAlerts, ruleGroups } from './alerts.ts';
import { dashboard } from './dashboard.ts';
import { podMonitors, serviceMonitor } from './monitors.ts';
import { prometheusConfig } from './prometheus-config.ts';
import { metricNames } from './testing/metric-names.ts';

const alerts = [...memberAlerts, ...operatorAlerts];

test('the metrics of an expression are found, and its functions, labels and words are not', () => {
  expect(metricNames('sum by (namespace, x) (up{a!="b"} == bool 1) < (count by (x) (up) + 1) / 2')).toEqual(['up']);
  expect(metricNames('histogram_quantile(0.99, rate(a_seconds_bucket{b="c"}[5m])) > 0.5 and d >= 3')).toEqual([
    'a_seconds',
    'd',
  ]);
  expect(metricNames('increase((max by (x) (y_total))[15m:1m]) >= 4')).toEqual(['y_total']);
});

describe('every alert', () => {
  test.each(alerts)('$name ($severity) has a runbook that says what the alert means', ({ name, runbook }) => {
    const page = readFileSync(join(repositoryRoot, `docs/guide/runbooks/${runbook}.md`), 'utf8');
    const [head = ''] = page.split('\n## ', 1);
    expect(head).toMatch(new RegExp(`^\\*\\*Alerts?\\*\\*:[^]*\`${name}\``, 'm'));
  });

  test('has a unique name for its severity, and uses a metric', () => {
    expect(new Set(alerts.map(({ name, severity }) => `${name} ${severity}`)).size).toBe(alerts.length);
    expect(alerts.filter(({ expr }) => metricNames(expr).length === 0)).toEqual([]);
  });

  test('is in the rules', () => {
    expect(ruleGroups().groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))).toEqual(
      alerts.map(({ name }) => name),
    );
  });
});

const readChart = (file: string) => readFileSync(join(repositoryRoot, 'deploy/charts/etcd-operator', file), 'utf8');

test('the namespace in the series of operators is that of the object, however they are scraped', () => {
  expect(podMonitors()[1]?.spec.podMetricsEndpoints).toEqual([expect.objectContaining({ honorLabels: true })]);
  const [service, monitor] = serviceMonitor();
  expect(monitor?.spec).toMatchObject({ endpoints: [{ honorLabels: true }] });
  expect(monitor?.spec.selector).toEqual({ matchLabels: service?.metadata.labels });
  expect(prometheusConfig().scrape_configs[1]).toMatchObject({ job_name: 'etcd-operator', honor_labels: true });
  expect(readChart('templates/metrics.yaml')).toMatch(/kind: ServiceMonitor[\s\S]*^ {4}honorLabels: true$/m);
});

test('what says of itself to be an operator is scraped in the namespace of the operators alone, for its labels are trusted', () => {
  expect(podMonitors()[1]?.spec.namespaceSelector).toEqual({ matchNames: ['etcd-operator'] });
  const [, job] = prometheusConfig().scrape_configs;
  expect(job?.kubernetes_sd_configs).toEqual([{ role: 'pod', namespaces: { names: ['etcd-operator'] } }]);
  expect(readChart('templates/metrics.yaml')).not.toContain('namespaceSelector');
});

test('the pods of every installation have the label that operators are found by', () => {
  const wanted = podMonitors()[1]?.spec.selector.matchLabels ?? {};
  const { template } = deployment([])['spec'] as {
    template: { metadata: { labels: object }; spec: { containers: readonly { ports: readonly object[] }[] } };
  };
  expect(template.metadata.labels).toMatchObject(wanted);
  expect(template.spec.containers[0]?.ports).toContainEqual(expect.objectContaining({ name: 'http' }));
  const [service] = serviceMonitor();
  expect(template.metadata.labels).toMatchObject(service?.spec.selector ?? {});
  const relabeled = JSON.stringify(prometheusConfig().scrape_configs[1]);
  expect(relabeled).toContain('__meta_kubernetes_pod_label_app_kubernetes_io_part_of');
  for (const [label, value] of Object.entries(wanted))
    expect(readChart('templates/_names.tpl')).toContain(`${label}: ${value}\n`);
});

test.each(['deployment.yaml', 'etcd-backup-operator/deployment.yaml', 'etcd-restore-operator/deployment.yaml'])(
  'the pods of example/%s are found, too',
  (file) => {
    const { metadata, spec } = parse(readFileSync(join(repositoryRoot, 'example', file), 'utf8')) as {
      readonly metadata: object;
      readonly spec: { readonly template: { readonly metadata: object } };
    };
    const labels = podMonitors()[1]?.spec.selector.matchLabels;
    for (const labelled of [metadata, spec.template.metadata]) expect(labelled).toMatchObject({ labels });
  },
);

test('the chart looks for runbooks in the repository that package.json names', () => {
  const { prometheusRule } = parse(readChart('values.yaml')) as {
    readonly prometheusRule: { readonly runbookBase: string; readonly runbookEnding: string };
  };
  const links = ruleGroups().groups.flatMap(({ rules }) => rules.map((rule) => rule.annotations.runbook_url));
  const { runbookBase, runbookEnding } = prometheusRule;
  expect(links).toContain(`${runbookBase}/quorum-lost${runbookEnding}`);
});

test('panels of the dashboard do not overlap, and each has a query', () => {
  const { panels } = dashboard();
  const places = panels.map(({ gridPos: { x, y } }) => `${x}/${y}`);
  expect(new Set(places).size).toBe(panels.length);
  expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
});
