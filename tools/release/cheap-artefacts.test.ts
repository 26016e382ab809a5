// SPDX-License-Identifier: Apache-2.0
/** The artefacts that take no time to make; all of them are in release.long.test.ts. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { workspacesOf } from '../build/workspace.ts';
import { repositoryRoot } from '../repository-root.ts';
import { sha256Of } from '../supply-chain/sha256.ts';
import { bundle } from './bundle.ts';
import { chart } from './chart.ts';
import { documentation } from './documentation.ts';
import { krewManifest } from './krew.ts';
import { manifests } from './manifests.ts';
import { packageFile } from './packages.ts';
import { pluginArchives } from './plugin.ts';
import { releaseOf } from './release.ts';
import { filesBelow, writeTarball } from './tarball.ts';

let folder: string;
const out = (name: string) => join(folder, name);
const listed = (file: string) => execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cheap-'));
  for (const name of ['one', 'two']) {
    mkdirSync(out(name));
    for (const kind of [manifests, chart, bundle, documentation])
      await kind.make(await releaseOf(repositoryRoot, out(name)));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('two builds have the same digests', async () => {
  const digests = (name: string) =>
    Promise.all(readdirSync(out(name)).map(async (file) => [file, await sha256Of(join(out(name), file))]));
  const first = await digests('one');
  expect(first.length).toBeGreaterThan(4);
  expect(await digests('two')).toEqual(first);
});

test('times of files are not in an archive', async () => {
  mkdirSync(out('dated'));
  writeFileSync(join(out('dated'), 'x'), 'x');
  for (const [name, time] of [
    ['old.tgz', 1],
    ['new.tgz', 1e9],
  ] as const) {
    utimesSync(join(out('dated'), 'x'), time, time);
    await writeTarball(await filesBelow(out('dated'), 'a'), out(name));
  }
  expect(await sha256Of(out('new.tgz'))).toBe(await sha256Of(out('old.tgz')));
});

test('the chart holds all of its files below its name, and tells Artifact Hub about image and kinds', () => {
  const file = readdirSync(out('one')).find((name) => name.endsWith('.tgz')) ?? '';
  const names = listed(join(out('one'), file));
  for (const name of [
    'values.yaml',
    'values.schema.json',
    'crds/etcdclusters.yaml',
    'templates/deployment.yaml',
    'README.md',
  ])
    expect(names).toContain(`etcd-operator/${name}`);
  expect(new Set(names).size).toBe(names.length);
  const readme = execFileSync('tar', ['-xzOf', join(out('one'), file), 'etcd-operator/README.md'], {
    encoding: 'utf8',
  });
  expect(readme).toContain(`helm install etcd-operator ${file} `);
  expect(readme).toContain('| `etcdOperator.image.repository` |');
  const text = execFileSync('tar', ['-xzOf', join(out('one'), file), 'etcd-operator/Chart.yaml'], { encoding: 'utf8' });
  const { annotations, name } = parse(text) as { readonly name: string; readonly annotations: Record<string, string> };
  expect(name).toBe('etcd-operator');
  expect(
    (parse(annotations['artifacthub.io/crds'] ?? '') as readonly { kind: string }[]).map(({ kind }) => kind),
  ).toEqual(['EtcdCluster', 'EtcdBackup', 'EtcdRestore']);
});

test('npm packs every package into the file that is verified, and that is not taken for the chart', () => {
  const all = workspacesOf(repositoryRoot, 'packages');
  const folders = all.map(({ directory }) => directory);
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', ...folders];
  const printed = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const packed = (JSON.parse(printed) as readonly { readonly filename: string }[]).map(({ filename }) => filename);
  expect(all.map(({ manifest: { name, version } }) => packageFile(name, version))).toEqual(packed);
  expect(packed.filter((name) => name.startsWith('etcd-operator-'))).toEqual([]);
});

test('the one file is that of deploy, and the folders of kustomize are complete', () => {
  const read = (path: string) => readFileSync(path, 'utf8');
  expect(read(join(out('one'), 'install.yaml'))).toBe(read(join(repositoryRoot, 'deploy', 'install.yaml')));
  const file = readdirSync(out('one')).find((name) => name.endsWith('-kustomize.tar.gz')) ?? '';
  const names = listed(join(out('one'), file)).filter((name) => name.endsWith('/kustomization.yaml'));
  expect(names.map((name) => name.split('/').at(-2) ?? '')).toEqual(['base', 'cluster-wide', 'crds']);
});

test('the documentation opens at its front page, and has its search', () => {
  const file = readdirSync(out('one')).find((name) => name.endsWith('-documentation.tar.gz')) ?? '';
  const names = listed(join(out('one'), file)).map((name) => name.split('/').slice(1).join('/'));
  for (const name of ['index.html', 'guide/from-a-release.html', 'assets/search-index.js'])
    expect(names).toContain(name);
});

describe('the manifest for krew', () => {
  interface Manifest {
    readonly metadata: { readonly name: string };
    readonly spec: {
      readonly version: string;
      readonly shortDescription: string;
      readonly caveats: string;
      readonly platforms: readonly {
        readonly uri: string;
        readonly sha256: string;
        readonly bin: string;
        readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
      }[];
    };
  }
  let archives: Readonly<Record<string, string>>;
  let manifest: Manifest;
  beforeAll(async () => {
    const release = { ...(await releaseOf(repositoryRoot, out('one'))), out: out('krew') };
    mkdirSync(release.out);
    const named = pluginArchives(release.version);
    archives = named;
    for (const name of Object.values(named)) writeFileSync(join(release.out, name), name);
    manifest = parse(await krewManifest(release, named)) as Manifest;
  });

  test('has the address and the digest of an archive for every system', async () => {
    const { platforms } = manifest.spec;
    expect(platforms.map(({ uri }) => uri.split('/').at(-1))).toEqual(Object.values(archives));
    for (const { uri, sha256 } of platforms)
      expect(sha256).toBe(await sha256Of(join(out('krew'), uri.split('/').at(-1) ?? '')));
  });

  test('keeps to what krew and its index accept', () => {
    const { metadata, spec } = manifest;
    expect(metadata.name).toMatch(/^[\w-]+$/);
    expect(spec.version).toMatch(/^v\d+\.\d+\.\d+/);
    expect(spec.shortDescription).toMatch(/^.{1,50}$/);
    for (const { bin, selector } of spec.platforms) {
      expect(bin).toBe(`kubectl-${metadata.name}`);
      expect(['os', 'arch']).toEqual(expect.arrayContaining(Object.keys(selector.matchLabels)));
    }
  });

  test('says after the installation how Tab completes, and that works', () => {
    const home = out('krew-home');
    const store = join(home, 'store', manifest.metadata.name, manifest.spec.version);
    for (const folder of [store, join(home, 'bin')]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(store, 'kubectl_complete-etcd'), '#!/bin/sh\nexec kubectl-etcd __complete "$@"\n', {
      mode: 0o755,
    });
    writeFileSync(join(home, 'bin', 'kubectl-etcd'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const [, command = ''] = manifest.spec.caveats.split('\n');
    const env = { KREW_ROOT: home, PATH: `${join(home, 'bin')}:/usr/bin:/bin` };
    // Twice: after an upgrade the link is there already.
    for (let times = 0; times < 2; times++) execFileSync('sh', ['-c', command], { env });
    expect(execFileSync('kubectl_complete-etcd', ['stat'], { env, encoding: 'utf8' })).toBe('__complete stat\n');
  });
});
