// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { yamlText } from '@etcd-operator/crd';
import { operatorImageName } from '@etcd-operator/operator';
import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';
import { chartRules } from './chart-rules.ts';
import { deployFiles } from './deploy-files.ts';
import { kinds } from './kinds.ts';
import { policyRules } from './policy-rules.ts';
import { programs, rights } from './rights.ts';

const chart = join(repositoryRoot, 'deploy', 'charts', 'etcd-operator');
const everywhere = ['watched', 'own', 'cluster', 'definitions'] as const;

describe('the image', () => {
  const [repository = '', version = ''] = operatorImageName.split(':v');

  test('has one name wherever people copy it from', () => {
    const folders = ['example', 'deploy'].map((folder) => join(repositoryRoot, folder));
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
        .map(({ parentPath, name }) => join(parentPath, name)),
    );
    const named = [...files, join(repositoryRoot, 'Containerfile')].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/quay\.io\/etcd-operator\/[\w-]+(:[\w.-]+)?/g)].map(([name]) => ({
        file,
        name,
      })),
    );
    expect(named.length).toBeGreaterThan(2);
    // The chart puts the tag behind it by itself.
    const wrong = named.filter(({ file, name }) => name !== (file.startsWith(chart) ? repository : operatorImageName));
    expect(wrong).toEqual([]);
  });

  test('is that of the chart', () => {
    const text = readFileSync(join(chart, 'Chart.yaml'), 'utf8');
    expect(text).toContain(`\nversion: ${version}\nappVersion: ${version}\n`);
  });
});

describe('the roles', () => {
  test('name every verb and every resource', () => {
    const rules = policyRules(programs, everywhere);
    expect(rules.length).toBeGreaterThan(5);
    expect(JSON.stringify(rules)).not.toContain('*');
  });

  test('let nobody list secrets', () => {
    const verbs = rights.filter(({ resource }) => resource === 'secrets').flatMap((right) => right.verbs);
    expect(verbs).toContain('get');
    expect(verbs.filter((verb) => verb === 'list' || verb === 'watch')).toEqual([]);
  });

  test('of one namespace need nothing outside of it', () => {
    const places = rights.filter(({ place }) => place === 'watched' || place === 'own');
    expect(places.map(({ resource }) => resource)).not.toContain('nodes');
    expect(places.map(({ resource }) => resource)).not.toContain('customresourcedefinitions');
  });
});

test.each([
  ['default', ['watched', 'own']],
  ['separate', ['watched', 'own']],
  ['everything', ['watched', 'cluster']],
] as const)('the chart as the end-to-end tests expect it (%s) has the rights of today', (golden, places) => {
  const file = join(repositoryRoot, 'test', 'e2e', 'golden', `chart-${golden}.yaml`);
  const rendered = readFileSync(file, 'utf8');
  for (const program of programs) expect(rendered).toContain(`\n${yamlText(policyRules([program], places))}`);
});

test('the chart lets an operator of one namespace read nodes only if it is told to', () => {
  const read = (...path: string[]) => readFileSync(join(chart, ...path), 'utf8');
  expect(read('values.yaml')).toContain('\nreadNodes: false\n');
  expect(read('values.schema.json')).toContain('"readNodes"');
  const [, rules = ''] = chartRules().split('define "etcd-operator.rules.etcd-operator.nodes" -}}\n');
  expect(rules.slice(0, rules.indexOf('{{'))).toBe(
    yamlText([{ apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] }]),
  );
  expect(read('templates', 'roles.yaml')).toContain('and $.Values.readNodes (not $.Values.clusterWide)');
});

test('the chart lets the operator reach what it asks members for', () => {
  const text = readFileSync(join(chart, 'templates', 'network-policies.yaml'), 'utf8');
  const [, members = ''] = text.split('part-of: etcd-operator');
  const [operator = ''] = members.split('members.clients');
  // Clients' port, that of the metrics, and that of the agent that takes a restore's data.
  for (const port of [2379, 2381, 19_999]) expect(operator).toContain(`- port: ${port}\n`);
  // Members of a restore have no label app: they must be as open, and as closed, as all others.
  const [, policy = ''] = text.split('-etcd-members');
  expect(policy).not.toContain('app: etcd\n');
  expect(policy.match(/key: etcd_cluster\n +operator: Exists/g)).toHaveLength(2);
});

test('every kind has its CRD in the folder, in the chart and in the one file', () => {
  const files = new Map(deployFiles().map(({ path, text }) => [path, text]));
  for (const { resource } of kinds) {
    const name = `name: ${resource.plural}.${resource.group}\n`;
    expect(files.get(`deploy/crds/${resource.plural}.yaml`)).toContain(name);
    expect(files.get(`deploy/charts/etcd-operator/crds/${resource.plural}.yaml`)).toContain(name);
    expect(files.get('deploy/install.yaml')).toContain(name);
  }
});
