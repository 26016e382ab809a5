// SPDX-License-Identifier: Apache-2.0
/** Bundle and chart, judged by the tools of those who install them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { requireProgram } from '../image/require-program.ts';
import { ensurePart } from '../parts/index.ts';
import { repositoryRoot } from '../repository-root.ts';
import { bundle, bundleName } from './bundle.ts';
import { chart } from './chart.ts';
import { type Release, releaseOf } from './release.ts';

let release: Release;
const at = (...path: readonly string[]) => join(release.out, ...path);

beforeAll(async () => {
  release = await releaseOf(repositoryRoot, mkdtempSync(join(tmpdir(), 'judged-')));
  for (const kind of [bundle, chart]) await kind.make(release);
});
afterAll(() => rmSync(release.out, { recursive: true, force: true }));

test('the validator of OLM finds no error in the bundle, and finds one in a bundle without a CRD', {
  timeout: 900_000,
}, async () => {
  const verify = requireProgram(await ensurePart('operator-verify'), 'operator-verify');
  mkdirSync(at('bundle'));
  execFileSync('tar', ['-xzf', at(bundleName(release.version)), '-C', at('bundle')]);
  // Its exit status is 0 either way.
  const errors = () => {
    const args = ['manifests', at('bundle'), '--object_validate', '--operatorhub_validate'];
    const { status, stderr } = spawnSync(verify, args, { encoding: 'utf8' });
    expect(status).toBe(0);
    return stderr.split('\n').filter((line) => line.includes('level=error'));
  };
  expect(errors()).toEqual([]);
  rmSync(at('bundle', 'manifests', 'etcdbackups.yaml'));
  expect(errors()).toEqual([expect.stringContaining('EtcdBackup')]);
});

test('an upgrade by the chart updates the CRDs first; an installation leaves them to Helm', {
  timeout: 900_000,
}, async () => {
  const helm = requireProgram(await ensurePart('helm'), 'helm');
  const archive = at(`etcd-operator-${release.version}.tgz`);
  const render = (...flags: readonly string[]) =>
    execFileSync(helm, ['template', 'etcd', archive, ...flags], { encoding: 'utf8' });
  expect(execFileSync(helm, ['lint', archive], { encoding: 'utf8' })).toContain('0 chart(s) failed');
  const upgrade = render('--is-upgrade');
  expect(upgrade).toContain('command: [etcd-operator, -install-crds]');
  expect(upgrade.match(/helm\.sh\/hook: pre-upgrade/g)).toHaveLength(4);
  const off = ['clusterWide=false', 'upgradeCRDs=false', 'createCRD=true', 'rbac.create=false'];
  const without = [[], ...off.map((value) => ['--is-upgrade', `--set=${value}`])];
  for (const flags of without) expect(render(...flags)).not.toContain('-install-crds');
});

interface Rendered {
  readonly kind: string;
  readonly metadata: Labelled;
  readonly spec?: {
    readonly template?: { readonly metadata?: Labelled };
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
}
interface Labelled {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

test('commonLabels are on every object and every pod, those of hooks included; nothing that finds operators finds a hook', {
  timeout: 900_000,
}, async () => {
  const helm = requireProgram(await ensurePart('helm'), 'helm');
  const archive = at(`etcd-operator-${release.version}.tgz`);
  const enabled = [
    'podMonitor',
    'serviceMonitor',
    'prometheusRule',
    'dashboard',
    'secureMetrics',
    'networkPolicy.members',
  ];
  const values = [
    ...enabled.map((name) => `${name}.enabled=true`),
    'secureMetrics.secretName=metrics',
    'commonLabels.team=storage',
    'customResources.createEtcdClusterCRD=true',
    'separateDeployments=true',
    'rbac.secretNamespaces={a}',
  ];
  const flags = ['--is-upgrade', '--skip-crds', ...values.map((value) => `--set=${value}`)];
  const text = execFileSync(helm, ['template', 'etcd', archive, ...flags], { encoding: 'utf8' });
  const objects = parseAllDocuments(text)
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null);
  const kinds = new Set(objects.map(({ kind }) => kind));
  for (const kind of ['Deployment', 'Job', 'Pod', 'PodMonitor', 'EtcdCluster']) expect(kinds).toContain(kind);
  const pods = objects.flatMap(({ kind, metadata, spec }) => {
    if (kind === 'Pod') return [{ of: kind, ...metadata }];
    return spec?.template ? [{ of: kind, ...spec.template.metadata }] : [];
  });
  const without = [...objects.map(({ kind, metadata }) => ({ of: kind, ...metadata })), ...pods].filter(
    ({ labels }) => labels?.['team'] !== 'storage',
  );
  expect(without.map(({ of, name }) => `${of} ${name}`)).toEqual([]);
  const ofHooks = pods.filter(({ of }) => of === 'Job' || of === 'Pod');
  expect(ofHooks).toHaveLength(4);
  const selectors = objects.map(({ spec }) => spec?.selector?.matchLabels).filter((labels) => labels !== undefined);
  expect(selectors.length).toBeGreaterThan(3);
  const found = ofHooks.filter(({ labels = {} }) =>
    selectors.some((selector) => Object.entries(selector).every(([name, value]) => labels[name] === value)),
  );
  expect(found).toEqual([]);
  for (const { labels } of ofHooks) expect(labels).not.toHaveProperty(['app.kubernetes.io/part-of']);
});

test('alerts of the chart link to the runbooks where they are', { timeout: 900_000 }, async () => {
  const helm = requireProgram(await ensurePart('helm'), 'helm');
  const archive = at(`etcd-operator-${release.version}.tgz`);
  const where = ['runbookBase=https://docs.example.com/guide/runbooks/', 'runbookEnding=.html', 'enabled=true'];
  const flags = where.map((value) => `--set=prometheusRule.${value}`);
  const rendered = execFileSync(helm, ['template', 'etcd', archive, ...flags], { encoding: 'utf8' });
  const links = [...rendered.matchAll(/runbook_url: (.*)/g)].map(([, link]) => link);
  expect(links.length).toBeGreaterThan(15);
  expect(links).toContain('"https://docs.example.com/guide/runbooks/quorum-lost.html"');
  expect(
    links.filter((link) => !/^"https:\/\/docs\.example\.com\/guide\/runbooks\/[a-z-]+\.html"$/.test(link ?? '')),
  ).toEqual([]);
});
