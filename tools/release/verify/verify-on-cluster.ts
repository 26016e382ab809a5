// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@operator-parts/kube';
import { parse, parseAllDocuments } from 'yaml';
import { type Cluster, layoutOf, loadImages, startCluster, stopCluster } from '../../cluster/index.ts';
import { requireProgram } from '../../image/require-program.ts';
import { ensurePart } from '../../parts/index.ts';
import { bundleName } from '../bundle.ts';
import type { Release } from '../release.ts';
import { type ClusterServiceVersion, installedBundle } from './installed-bundle.ts';
import { olderCRDs, olderObjects, outdatedCRDs } from './older-crds.ts';

const name = 'release';
const home = 'etcd-operator';
const crd = 'crd/etcdclusters.etcd.database.coreos.com';
const report = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * Installs the operator in each way from the release folder on a real Kubernetes of its own, and has it run an etcd cluster. The machine is
 * prepared for it.
 */
export async function verifyOnCluster(release: Release): Promise<readonly string[]> {
  const helm = requireProgram(await ensurePart('helm', { report }), 'helm');
  const cluster = await startCluster({ name, lifetime: 'this-process', report });
  try {
    await cluster.importArchive(join(release.out, `etcd-operator-${release.version}-image.oci.tar`));
    await loadImages(cluster, ['etcd@3.6']);
    return [
      await verifyFile(cluster, join(release.out, 'install.yaml')),
      await verifyBundle(cluster, join(release.out, bundleName(release.version))),
      await verifyChart(cluster, helm, join(release.out, `etcd-operator-${release.version}.tgz`)),
    ];
  } finally {
    await stopCluster(layoutOf(name));
  }
}

async function verifyFile(cluster: Cluster, file: string): Promise<string> {
  const upgrade = await fromOlderCRDs(cluster);
  await cluster.kubectl(['apply', '--server-side', '--force-conflicts', '--filename', file]);
  await upgrade.isDone(await crdsIn([file]));
  await runsEtcd(cluster, 'by-file');
  await cluster.kubectl(['delete', '--filename', file, '--timeout=120s']);
  return 'install.yaml is applied over older CRDs, whose objects are kept, and its operator runs an etcd cluster';
}

/** Without the Operator Lifecycle Manager: what it would make of the bundle is applied. */
async function verifyBundle(cluster: Cluster, archive: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'etcd-operator-bundle-'));
  try {
    await cluster.run(['tar', '-xzf', archive, '-C', folder]);
    const manifests = join(folder, 'manifests');
    const file = join(manifests, 'etcd-operator.clusterserviceversion.yaml');
    const objects = installedBundle(parse(await readFile(file, 'utf8')) as ClusterServiceVersion, home);
    await rm(file);
    const upgrade = await fromOlderCRDs(cluster);
    await cluster.kubectl(['create', 'namespace', home]);
    await cluster.kubectl(['apply', '--server-side', '--force-conflicts', '--filename', manifests]);
    await cluster.apply(objects);
    await upgrade.isDone(await crdsIn((await readdir(manifests)).map((name) => join(manifests, name))));
    await runsEtcd(cluster, 'by-bundle');
    await cluster.kubectl(['delete', 'clusterrole,clusterrolebinding', `olm-${home}`]);
    await cluster.kubectl(['delete', '--filename', manifests, '--timeout=120s']);
    await cluster.kubectl(['delete', 'namespace', home, '--timeout=120s']);
    return 'the objects of the OLM bundle are applied over older CRDs, whose objects are kept, and its operator runs an etcd cluster';
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Helm brings CRDs up to date with an upgrade only, by a Job of the chart. */
async function verifyChart(cluster: Cluster, helm: string, archive: string): Promise<string> {
  const run = async (...args: readonly string[]) => {
    const { status, stdout, stderr } = await cluster.run([helm, ...args, `--namespace=${home}`]);
    if (status !== 0) throw new Error(`helm ${args.join(' ')} ended with ${status}: ${stderr}`);
    return stdout;
  };
  await run('install', 'etcd-operator', archive, '--create-namespace', '--wait', '--timeout=180s');
  await run('test', 'etcd-operator', '--timeout=180s');
  await runsEtcd(cluster, 'by-chart');
  const upgrade = await fromOlderCRDs(cluster);
  await run('upgrade', 'etcd-operator', archive, '--wait', '--timeout=180s');
  await upgrade.isDone(parseAllDocuments(await run('show', 'crds', archive)).map((document) => document.toJS() as Crd));
  await run('uninstall', 'etcd-operator', '--wait', '--timeout=180s');
  return 'the chart is installed, passes helm test, runs an etcd cluster, and an upgrade brings older CRDs up to date and keeps their objects';
}

type Crd = CustomResourceDefinition;

async function crdsIn(files: readonly string[]): Promise<readonly Crd[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const objects = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Crd | null));
  return objects.filter((object) => object !== null).filter(({ kind }) => kind === 'CustomResourceDefinition');
}

/** The cluster with the CRDs of an older release and an EtcdCluster made with them, and what must be so after the upgrade. */
async function fromOlderCRDs(cluster: Cluster): Promise<{ isDone(wanted: readonly Crd[]): Promise<void> }> {
  const list = { apiVersion: 'v1', kind: 'List', items: olderCRDs() };
  const flags = ['--server-side', '--force-conflicts', '--filename=-'];
  await cluster.kubectl(['apply', ...flags], { input: JSON.stringify(list) });
  await cluster.kubectl(['wait', '--for=condition=established', '--timeout=60s', crd]);
  await cluster.apply(olderObjects('default').slice(0, 1));
  const identity = () => cluster.kubectl(['get', 'etcdcluster/kept', '--output=jsonpath={.metadata.uid} {.spec}']);
  const before = await identity();
  return {
    isDone: async (wanted) => {
      if (wanted.length !== 3) throw new Error(`there are ${wanted.length} CRDs in the release, not 3`);
      const outdated = await outdatedCRDs(cluster, wanted);
      if (outdated.length > 0) throw new Error(`the upgrade left CRDs as they were: ${outdated.join(', ')}`);
      const after = await identity();
      if (after !== before) throw new Error(`the upgrade changed an EtcdCluster: before ${before}, after ${after}`);
      await becomesAvailable(cluster, 'kept');
    },
  };
}

async function runsEtcd(cluster: Cluster, etcd: string): Promise<void> {
  const apiVersion = 'etcd.database.coreos.com/v1beta2';
  const metadata = { name: etcd, namespace: 'default' };
  await cluster.apply([{ apiVersion, kind: 'EtcdCluster', metadata, spec: { size: 1, version: '3.6.16' } }]);
  await becomesAvailable(cluster, etcd);
}

async function becomesAvailable(cluster: Cluster, etcd: string): Promise<void> {
  await cluster.kubectl(['rollout', 'status', 'deployment', `--namespace=${home}`, '--timeout=180s']);
  await cluster.kubectl(['wait', '--for=condition=Available', `etcdcluster/${etcd}`, '--timeout=180s']);
  await cluster.kubectl(['delete', 'etcdcluster', etcd, '--timeout=120s']);
}
