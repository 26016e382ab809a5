// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorImageName } from '@etcd-operator/operator';
import { yamlText } from '@operator-parts/crd';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { repositoryRoot } from '../repository-root.ts';
import { chartRules } from './chart-rules.ts';
import { deployFiles } from './deploy-files.ts';
import { kinds } from './kinds.ts';
import { policyRules } from './policy-rules.ts';
import { programs, rights } from './rights.ts';

const chart = join(repositoryRoot, 'deploy', 'charts', 'etcd-operator');
const everywhere = ['watched', 'secrets', 'own', 'cluster', 'everywhere', 'definitions'] as const;

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
    // The chart appends the tag itself.
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

  test('no role lists secrets', () => {
    const verbs = rights.filter(({ resource }) => resource === 'secrets').flatMap((right) => right.verbs);
    expect(verbs).toContain('get');
    expect(verbs.filter((verb) => verb === 'list' || verb === 'watch')).toEqual([]);
  });

  test('of one namespace need nothing outside of it', () => {
    const places = rights.filter(({ place }) => ['watched', 'secrets', 'own'].includes(place));
    expect(places.map(({ resource }) => resource)).not.toContain('nodes');
    expect(places.map(({ resource }) => resource)).not.toContain('customresourcedefinitions');
  });
});

test.each([
  ['default', [['watched', 'cluster', 'everywhere'], ['secrets']]],
  ['namespaces', [['watched', 'secrets', 'own']]],
  ['separate', [['watched', 'secrets', 'own']]],
  ['everything', [['watched', 'cluster', 'everywhere'], ['secrets']]],
] as const)('the chart as the end-to-end tests expect it (%s) has the rights of today', (golden, parts) => {
  const file = join(repositoryRoot, 'test', 'e2e', 'golden', `chart-${golden}.yaml`);
  const rendered = readFileSync(file, 'utf8');
  for (const program of programs) {
    for (const places of parts) expect(rendered).toContain(`\n${yamlText(policyRules([program], places))}`);
  }
});

test('the walk-through and the one file give their rights different names: each can be installed and removed beside the other', () => {
  const script = readFileSync(join(repositoryRoot, 'example', 'rbac', 'create_role.sh'), 'utf8');
  const ofScript = ['role_name', 'role_binding_name'].map(
    (name) => new RegExp(`^${name}=(.+)$`, 'm').exec(script)?.[1],
  );
  const manifests = parseAllDocuments(readFileSync(join(repositoryRoot, 'deploy', 'install.yaml'), 'utf8')).map(
    (document) => document.toJS() as { readonly kind: string; readonly metadata: { readonly name: string } },
  );
  const ofFile = manifests.filter(({ kind }) => kind.startsWith('ClusterRole')).map(({ metadata }) => metadata.name);
  expect(ofScript).toEqual(['etcd-operator', 'etcd-operator']);
  expect(ofFile).toHaveLength(4);
  expect(ofFile).not.toContain('etcd-operator');
});

test('the chart lets an operator of one namespace read nodes only if a value says so', () => {
  const read = (...path: string[]) => readFileSync(join(chart, ...path), 'utf8');
  expect(read('values.yaml')).toContain('\nreadNodes: false\n');
  expect(read('values.schema.json')).toContain('"readNodes"');
  const [, rules = ''] = chartRules().split('define "etcd-operator.rules.etcd-operator.nodes" -}}\n');
  expect(rules.slice(0, rules.indexOf('{{'))).toBe(
    yamlText([{ apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] }]),
  );
  expect(read('templates', 'roles.yaml')).toContain('and $.Values.readNodes (not $.Values.clusterWide)');
});

test.each([
  ['default', undefined],
  ['namespaces', ['a', 'b']],
  ['separate', ['etcd']],
] as const)(
  'the chart (%s) has the admission policies of the file, for the namespaces that it manages',
  (golden, namespaces) => {
    interface Policy {
      readonly kind: string;
      readonly spec: Readonly<Record<string, unknown>>;
    }
    const read = (text: string) =>
      parseAllDocuments(text)
        .map((document) => document.toJS() as Policy | null)
        .filter((object) => object?.kind.startsWith('ValidatingAdmissionPolicy'))
        .map((object) => object as Policy);
    const file = join(repositoryRoot, 'test', 'e2e', 'golden', `chart-${golden}.yaml`);
    const rendered = read(readFileSync(file, 'utf8'));
    const written = read(deployFiles().find(({ path }) => path === 'deploy/admission-policy.yaml')?.text ?? '');
    const specs = (objects: readonly Policy[], kind: string) =>
      objects.filter((object) => object.kind === kind).map(({ spec }) => spec);
    expect(specs(rendered, 'ValidatingAdmissionPolicy')).toEqual(specs(written, 'ValidatingAdmissionPolicy'));
    expect(specs(written, 'ValidatingAdmissionPolicy')).toHaveLength(2);
    const within = namespaces && [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }];
    for (const { matchResources } of specs(rendered, 'ValidatingAdmissionPolicyBinding'))
      expect(matchResources).toEqual(within && { namespaceSelector: { matchExpressions: within } });
  },
);

test('the chart can limit the Secrets of a cluster-wide operator to namespaces', () => {
  const file = join(repositoryRoot, 'test', 'e2e', 'golden', 'chart-limited-secrets.yaml');
  interface Role {
    readonly kind: string;
    readonly metadata: { readonly namespace?: string };
    readonly rules?: readonly { readonly resources: readonly string[] }[];
  }
  const objects = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as Role | null);
  const reading = objects.filter((object) => object?.rules?.some(({ resources }) => resources.includes('secrets')));
  const places = reading.map((object) => `${object?.kind} ${object?.metadata.namespace}`);
  expect(places.toSorted()).toEqual(['Role a', 'Role a', 'Role a', 'Role b', 'Role b', 'Role b']);
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
