// SPDX-License-Identifier: Apache-2.0
/** Monitors and rules, judged by the types of the Prometheus operator itself: its API server refuses what they do not have. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ensurePart } from '../../parts/ensure-part.ts';
import { repositoryRoot } from '../../repository-root.ts';
import { podMonitors } from './monitors.ts';

/** What the types say of each object: `ok`, or what is wrong. */
async function judged(objects: readonly object[]): Promise<readonly string[]> {
  const program = (await ensurePart('prometheus-operator-types')).programs['prometheus-operator-types'] ?? '';
  const input = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const { status, stdout, stderr } = spawnSync(program, [], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`prometheus-operator-types: ${stderr}`);
  return stdout.trim().split('\n');
}

interface Found {
  readonly apiVersion: string;
  readonly kind: string;
}

function objectsIn(...path: readonly string[]): readonly Found[] {
  const text = readFileSync(join(repositoryRoot, ...path), 'utf8');
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Found | null);
  return objects.filter((object) => object !== null).filter((one) => one.apiVersion === 'monitoring.coreos.com/v1');
}

const files = readdirSync(join(repositoryRoot, 'deploy', 'monitoring')).filter((file) => file.endsWith('.yaml'));
const beside = files.map((file) => [file, objectsIn('deploy', 'monitoring', file)] as const);
// The end-to-end tests compare this file with what helm makes of the chart.
const ofChart = ['the chart', objectsIn('test', 'e2e', 'golden', 'chart-everything.yaml')] as const;
const places = [...beside, ofChart].filter(([, objects]) => objects.length > 0);

test('each kind is among the files, and in the chart', () => {
  const kinds = (all: typeof places) => new Set(all.flatMap(([, objects]) => objects.map(({ kind }) => kind)));
  for (const all of [beside, [ofChart]])
    expect(kinds(all)).toEqual(new Set(['PodMonitor', 'ServiceMonitor', 'PrometheusRule']));
});

test.each(places)(
  '%s has nothing that the Prometheus operator does not know',
  async (_, objects) => {
    expect(await judged(objects)).toEqual(objects.map(() => 'ok'));
  },
  600_000,
);

test('a field that is misspelt, and one of another type, are noticed', async () => {
  const [monitor] = podMonitors();
  const misspelt = { ...monitor, spec: { ...monitor?.spec, podMetricEndpoints: [] } };
  const mistaken = { ...monitor, spec: { ...monitor?.spec, podTargetLabels: 'etcd_cluster' } };
  expect(await judged([misspelt, mistaken])).toEqual([
    expect.stringContaining('"podMetricEndpoints"'),
    expect.stringContaining('podTargetLabels'),
  ]);
}, 600_000);
